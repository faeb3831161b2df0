// The element types of features and weights, and their rounding on the CPU.
#pragma once

#include <cstdint>
#include <span>
#include <string_view>

namespace spb {

enum class Dtype { f32, tf32, f16, bf16, tf32x3 };

struct DtypeInfo {
  Dtype dtype;
  const char* name;
  int bytes;                ///< of one stored element; tf32 and 3xtf32 are stored as fp32
  int operand_bits;         ///< significant bits that survive in a multiplied operand
  int output_bits;          ///< significant bits of a stored output
  int output_min_exponent;  ///< of the smallest normal output, 2^e
  double output_max;        ///< largest finite output
  /// Largest relative error of a product of two operands as round_operand() leaves them.
  double product_error = 0;
};

std::span<const DtypeInfo> dtypes();
const DtypeInfo& info(Dtype dtype);

/// Throws Error (usage) with the nearest name when `name` is unknown; `where` names the option.
Dtype parse_dtype(std::string_view name, std::string_view where);

/// `value` rounded to what a multiply sees: nearest even for f16 and bf16, nearest with ties away
/// from zero for tf32 (as cvt.rna.tf32 does), unchanged for f32 and 3xtf32.
float round_operand(float value, Dtype dtype);
void round_operands(std::span<float> values, Dtype dtype);

/// `value` rounded to nearest even as the stored output type (fp32 for f32, tf32 and 3xtf32).
float round_output(double value, Dtype dtype);

uint16_t encode_f16(float value);
float decode_f16(uint16_t bits);
uint16_t encode_bf16(float value);
float decode_bf16(uint16_t bits);

/// Stored elements from floats and back; `bytes` holds values.size() * info(dtype).bytes bytes.
void encode(std::span<const float> values, Dtype dtype, void* bytes);
void decode(const void* bytes, Dtype dtype, std::span<float> values);

}  // namespace spb
