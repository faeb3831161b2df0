// SPDX-License-Identifier: Apache-2.0
// What memory holds of one element, and its rounding on the CPU.
#pragma once

#include <bit>
#include <cstdint>
#include <span>

namespace spb {

/// e4m3: of the Open Compute Project (OFP8, revision 1.0), with a NaN and no infinity.
enum class Storage { f32, f16, bf16, i8, i32, e4m3 };

struct StorageInfo {
  Storage storage;
  const char* name;
  int bytes;
  int bits;          ///< significant ones: all integers up to 2^bits are stored as they are
  int min_exponent;  ///< of the smallest normal value, 2^e
  double max;        ///< largest finite value
  /// What lies beyond is stored as the largest; else as an infinity, which others have not.
  bool saturates = false;
};

const StorageInfo& info(Storage storage);

/// `value` rounded to nearest even, beyond the largest saturated where it saturates. NaN stays, but
/// of integers it is 0. As decode() would give it.
float round_stored(double value, Storage storage);

uint16_t encode_f16(float value);
float decode_f16(uint16_t bits);
uint16_t encode_bf16(float value);
float decode_bf16(uint16_t bits);

/// Stored elements from floats and back; `bytes` holds values.size() * info(storage).bytes bytes.
/// An i32 goes as it is, in a float of the same bits: no float holds all of them.
void encode(std::span<const float> values, Storage storage, void* bytes);
void decode(const void* bytes, Storage storage, std::span<float> values);

/// The number that a float of decode() stands for.
inline double stored_value(float decoded, Storage storage) {
  return storage == Storage::i32 ? std::bit_cast<int32_t>(decoded) : static_cast<double>(decoded);
}

/// `values` as they come back from memory.
void round_trip(std::span<float> values, Storage storage);

}  // namespace spb
