// SPDX-License-Identifier: Apache-2.0
// What memory holds of one element, and its rounding on the CPU.
#pragma once

#include <cstdint>
#include <span>

namespace spb {

enum class Storage { f32, f16, bf16, i8 };

struct StorageInfo {
  Storage storage;
  const char* name;
  int bytes;
  int bits;          ///< significant ones: all integers up to 2^bits are stored as they are
  int min_exponent;  ///< of the smallest normal value, 2^e
  double max;        ///< largest finite value
};

const StorageInfo& info(Storage storage);

/// `value` rounded to nearest even; of integers saturated, and NaN is 0.
float round_stored(double value, Storage storage);

uint16_t encode_f16(float value);
float decode_f16(uint16_t bits);
uint16_t encode_bf16(float value);
float decode_bf16(uint16_t bits);

/// Stored elements from floats and back; `bytes` holds values.size() * info(storage).bytes bytes.
void encode(std::span<const float> values, Storage storage, void* bytes);
void decode(const void* bytes, Storage storage, std::span<float> values);

/// `values` as they come back from memory.
void round_trip(std::span<float> values, Storage storage);

}  // namespace spb
