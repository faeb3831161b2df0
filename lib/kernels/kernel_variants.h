// SPDX-License-Identifier: Apache-2.0
// The compiled kernels a plan chooses from, as rows that can be listed.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/dtype.h"

namespace spb {

/// Bits of KernelVariant::dtypes.
constexpr unsigned dtype_bit(Dtype dtype) { return 1u << static_cast<int>(dtype); }
inline constexpr unsigned kHalfDtypes = dtype_bit(Dtype::f16) | dtype_bit(Dtype::bf16);
inline constexpr unsigned kTf32 = dtype_bit(Dtype::tf32), kF32 = dtype_bit(Dtype::f32);
inline constexpr unsigned kTf32x3 = dtype_bit(Dtype::tf32x3);
inline constexpr unsigned kIntegerDtypes =
    dtype_bit(Dtype::i8) | dtype_bit(Dtype::i8_f32) | dtype_bit(Dtype::i8_i32);
inline constexpr unsigned kE4m3Dtypes =
    dtype_bit(Dtype::e4m3) | dtype_bit(Dtype::e4m3_f16) | dtype_bit(Dtype::e4m3_bf16);
/// Of bytes, Math::is_scaled(): kernels of fprop, and of dgrad but for integers.
inline constexpr unsigned kScaledDtypes = kIntegerDtypes | kE4m3Dtypes;
/// Those that every device has kernels for: 3xtf32 takes tensor cores.
inline constexpr unsigned kPortableDtypes = kF32 | kTf32 | kHalfDtypes;
/// The same of fprop and dgrad.
inline constexpr unsigned kPortableRowDtypes = kPortableDtypes | kScaledDtypes;

/// Of a stored operand of any of these dtypes.
constexpr int operand_bytes(unsigned dtypes) {
  return (dtypes & kScaledDtypes) != 0 ? 1 : (dtypes & kHalfDtypes) != 0 ? 2 : 4;
}

/// One tile kernel: TileM x TileN sums, TileK deep steps. For fprop and dgrad TileM counts rows and
/// TileN written channels; for wgrad they count output and input channels, and rows are the depth.
struct KernelVariant {
  const char* name;  ///< in records and filters
  int tile_m, tile_n, tile_k;
  int stages;                ///< steps in shared memory at a time
  int threads;               ///< per block
  int min_arch;              ///< compute capability times ten; 0 = every device of every vendor
  unsigned dtypes;           ///< dtype_bit() of those it is compiled for
  int channel_multiple = 1;  ///< c_in and c_out have to be multiples of it
  bool one_arch = false;     ///< runs on min_arch and on no later one
  /// Arithmetic::sum_bits and promoted_products. Fewer bits without promotion are faster and
  /// another competition: such a kernel is taken by its name alone.
  int sum_bits = 24;
  int promoted_products = 0;

  /// On whose matrix cores it multiplies, AMD's or, on the host, those that it has twins of, as
  /// `list kernels` says them; null: another kind. None ran on a card yet, so that nothing but its
  /// name asks for it.
  const char* chips = nullptr;

  constexpr bool is_portable() const { return min_arch == 0 && chips == nullptr; }
  constexpr bool cuts_sums() const { return sum_bits < 24 && promoted_products == 0; }
  constexpr bool by_name_only() const { return cuts_sums() || chips != nullptr; }
};

/// Of fprop and dgrad.
std::span<const KernelVariant> row_variants();
/// Of wgrad.
std::span<const KernelVariant> wgrad_variants();

/// What of shared memory's banks a kernel's worst load and its worst store, copies included, cost:
/// wavefronts, over those that the bytes alone would take. 1: no conflicts.
struct BankWays {
  int loads = 1, stores = 1;
  friend bool operator==(const BankWays&, const BankWays&) = default;
};
/// Of all kernels of its name. Where addresses hang on the data, as in halos, of the data that the
/// kernel is meant for.
BankWays bank_ways(const KernelVariant& variant);

/// The variant of this name, of either kind; null when there is none.
const KernelVariant* find_variant(std::string_view name);
/// Throws Error (usage) for an unknown name, which `where` gave.
const KernelVariant& known_variant(const std::string& name, std::string_view where);

/// Plans made from now on take no kernel beyond this compute capability, times ten: those that an
/// older device would run. Not for use by several threads.
void limit_architecture(int architecture);
int architecture_limit();

}  // namespace spb
