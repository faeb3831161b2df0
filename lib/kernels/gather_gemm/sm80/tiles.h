// SPDX-License-Identifier: Apache-2.0
// The variants of the asynchronous kernel of fprop and dgrad: NVIDIA GPUs from sm_80 on.
#pragma once

#include <array>
#include <cstddef>

#include "gpu/mma/sum_bits.h"
#include "kernels/kernel_variants.h"

namespace spb::plans {

/// How a variant's tile is cut: warps_m x warps_n warps of warp_m x warp_n sums; a row of the tile
/// is row_bytes deep.
struct Sm80RowTile {
  const char* name;
  unsigned dtypes;
  int warps_m, warps_n, warp_m, warp_n, row_bytes;
  int stages;
  int blocks;  ///< per multiprocessor, for which registers are allotted
  // Instances beside the usual one: each costs a compiler's minute.
  bool adds = false;    ///< of one that adds to memory
  bool groups = false;  ///< of groups of channels, whose rows begin at multiples of 16 bytes
  /// c_in and c_out are multiples of it. Where that makes rows begin at multiples of 16 bytes,
  /// there is no instance of others.
  int channel_multiple = 1;
};

inline constexpr Sm80RowTile kSm80RowTiles[] = {
    {"mma_128x256x64", kHalfDtypes, 2, 4, 64, 64, 128, 4, 1, false, false, 8},
    {"mma_256x128x64", kHalfDtypes, 4, 2, 64, 64, 128, 4, 1, false, false, 8},
    {"mma_128x128x64", kHalfDtypes, 2, 2, 64, 64, 128, 3, 2, true},
    {"mma_128x64x64", kHalfDtypes, 2, 2, 64, 32, 128, 4, 2, true, true, 8},
    {"mma_128x32x64", kHalfDtypes, 4, 1, 32, 32, 128, 4, 2, false, false, 8},
    {"mma_64x128x64", kHalfDtypes, 2, 2, 32, 64, 128, 4, 2, false, false, 8},
    {"mma_64x64x64", kHalfDtypes, 2, 2, 32, 32, 128, 4, 3, false, false, 8},
    {"mma_128x64x32", kHalfDtypes, 2, 2, 64, 32, 64, 4, 3},
    {"mma_128x32x32", kHalfDtypes, 4, 1, 32, 32, 64, 4, 4, false, true},
    {"mma_tf32_128x256x32", kTf32, 2, 4, 64, 64, 128, 4, 1, false, false, 4},
    {"mma_tf32_128x128x32", kTf32, 2, 2, 64, 64, 128, 3, 2, true, false, 4},
    {"mma_tf32_128x64x32", kTf32, 2, 2, 64, 32, 128, 4, 2, true},
    {"mma_tf32_128x32x32", kTf32, 4, 1, 32, 32, 128, 4, 2, false, true},
    {"mma_tf32_64x128x32", kTf32, 2, 2, 32, 64, 128, 4, 2, false, false, 4},
    {"mma_tf32_64x64x32", kTf32, 2, 2, 32, 32, 128, 4, 3},
    {"mma_3xtf32_128x128x16", kTf32x3, 2, 4, 64, 32, 64, 4, 1, false, false, 4},
    {"mma_3xtf32_128x64x32", kTf32x3, 2, 2, 64, 32, 128, 4, 2, true},
    {"mma_3xtf32_64x64x32", kTf32x3, 2, 2, 32, 32, 128, 4, 2, false, true},
    {"mma_i8_128x128x128", kIntegerDtypes, 2, 2, 64, 64, 128, 3, 2, false, false, 16},
    {"mma_i8_64x64x128", kIntegerDtypes, 2, 2, 32, 32, 128, 4, 3, false, false, 16},
    {"mma_i8_128x64x64", kIntegerDtypes, 2, 2, 64, 32, 64, 4, 3, false, false, 16},
    {"mma_i8_128x32x64", kIntegerDtypes, 4, 1, 32, 32, 64, 4, 4, false, false, 16},
    {"mma_e4m3_128x128x128", kE4m3Dtypes, 2, 4, 64, 32, 128, 3, 1, false, false, 16},
    {"mma_e4m3_64x64x128", kE4m3Dtypes, 2, 2, 32, 32, 128, 4, 3, false, false, 16},
    {"mma_e4m3_128x64x64", kE4m3Dtypes, 2, 2, 64, 32, 64, 4, 2, false, false, 16},
    {"mma_e4m3_128x32x64", kE4m3Dtypes, 4, 1, 32, 32, 64, 4, 4, false, false, 16},
    {"simt_128x128x16", kF32, 2, 4, 64, 32, 64, 4, 1, true, false, 4},
    {"simt_128x64x16", kF32, 2, 2, 64, 32, 64, 4, 2, true},
    {"simt_64x64x32", kF32, 2, 2, 32, 32, 128, 3, 2},
    {"simt_128x32x32", kF32, 4, 1, 32, 32, 128, 3, 2, false, true},
};
inline constexpr size_t kSm80RowTileCount = std::size(kSm80RowTiles);

/// Which of a tile's instances: of rows that begin at multiples of 16 bytes; one that adds to
/// memory (GatherGemmParams::atomic), by reads and writes, so that no two tiles of a launch may
/// have a row in common; one of groups of channels.
struct Sm80RowForm {
  bool wide = true, adds = false, grouped = false;
  friend constexpr bool operator==(const Sm80RowForm&, const Sm80RowForm&) = default;
};

constexpr bool has_form(const Sm80RowTile& tile, Dtype dtype, Sm80RowForm form) {
  if (!(tile.dtypes & dtype_bit(dtype))) return false;
  if (form.grouped) return tile.groups && form.wide && !form.adds;
  if (!form.wide && tile.channel_multiple * operand_bytes(tile.dtypes) % 16 == 0) return false;
  return tile.adds || !form.adds;
}

constexpr KernelVariant variant_of(const Sm80RowTile& tile) {
  KernelVariant variant{tile.name,
                        tile.warps_m * tile.warp_m,
                        tile.warps_n * tile.warp_n,
                        tile.row_bytes / operand_bytes(tile.dtypes),
                        tile.stages,
                        32 * tile.warps_m * tile.warps_n,
                        80,
                        tile.dtypes,
                        tile.channel_multiple};
  if (tile.dtypes == kE4m3Dtypes) {
    variant.min_arch = 89;
    variant.sum_bits = gpu::kE4m3SumBits;
    variant.promoted_products = 32;  // of one instruction
  }
  return variant;
}

inline constexpr auto kSm80RowVariants = [] {
  std::array<KernelVariant, kSm80RowTileCount> variants{};
  for (size_t i = 0; i < variants.size(); ++i) variants[i] = variant_of(kSm80RowTiles[i]);
  return variants;
}();

}  // namespace spb::plans
