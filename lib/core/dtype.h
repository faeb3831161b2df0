// SPDX-License-Identifier: Apache-2.0
// The arithmetics of a convolution: what is stored, multiplied, summed and put out.
#pragma once

#include <span>
#include <string_view>

#include "core/storage.h"

namespace spb {

/// A row of the table of arithmetics, dtypes().
enum class Dtype { f32, tf32, f16, bf16, tf32x3, i8, i8_f32, i8_i32, e4m3, e4m3_f16, e4m3_bf16 };

/// What a product sees of its operands, and by which instructions.
enum class Multiply { fma, tf32, f16, bf16, tf32x3, i8, e4m3 };

enum class Accumulator { f32, i32 };

struct Math {
  Dtype dtype;
  const char* name;
  Storage in, weights, out;  ///< of features (and their gradients), weights, outputs
  Multiply multiply;
  Accumulator sum;
  int operand_bits;  ///< significant bits that survive in a multiplied operand
  /// Products that one instruction of tensor cores sums (NVIDIA, from sm_80 on); 0: scalar.
  int mma_depth;
  int additions = 1;  ///< to the sum, for one product
  /// Operands are stored with more bits than operand_bits, and whoever multiplies rounds them.
  bool rounds_operands = false;
  /// Largest relative error of a product of two operands as round_operand() leaves them.
  double product_error = 0;

  /// Sums of integers, which are exact in any order.
  constexpr bool is_integer() const { return sum == Accumulator::i32; }
  /// Of bytes: sums are scaled to what is stored (core/epilogue.h); see has_scales().
  constexpr bool is_scaled() const { return is_integer() || multiply == Multiply::e4m3; }
  /// Outputs are the sums themselves: neither scale nor anything else comes after them.
  constexpr bool stores_sums() const { return out == Storage::i32; }
  const StorageInfo& input() const { return info(in); }
  const StorageInfo& output() const { return info(out); }
};

/// The dtype whose kernels make its sums: those of i8 leave what i8_i32 stores, as a slice.
constexpr Dtype kernel_dtype(Dtype dtype) { return dtype == Dtype::i8_i32 ? Dtype::i8 : dtype; }

/// As how many values of tf32 an operand is multiplied; 0: as none.
constexpr int tf32_parts(Dtype dtype) {
  return dtype == Dtype::tf32 ? 1 : dtype == Dtype::tf32x3 ? 2 : 0;
}

std::span<const Math> dtypes();
/// All but those of bytes: the first of dtypes().
std::span<const Math> float_dtypes();
/// Throws Error (runtime) for a number that is no row.
const Math& info(Dtype dtype);
/// Throws Error (usage) with the nearest name when `name` is unknown; `where` names the option.
Dtype parse_dtype(std::string_view name, std::string_view where);

/// Throws Error (runtime): `who` has no code for the dtype, which should have been refused before.
[[noreturn]] void no_instance(std::string_view who, Dtype dtype);

/// `value` rounded to what a multiply sees: nearest even for f16 and bf16, nearest with ties away
/// from zero for tf32 (as cvt.rna.tf32 does), unchanged for f32 and 3xtf32.
float round_operand(float value, Dtype dtype);
void round_operands(std::span<float> values, Dtype dtype);

/// `value` as an output of the dtype is stored.
inline float round_output(double value, Dtype dtype) {
  return round_stored(value, info(dtype).out);
}

}  // namespace spb
