// SPDX-License-Identifier: Apache-2.0
// The number types that binary formats store, as double or int64.
#pragma once

#include <algorithm>
#include <cstdint>
#include <cstring>
#include <type_traits>

#include "core/dtype.h"

namespace spb::data {

enum class Scalar { i8, u8, i16, u16, i32, u32, i64, u64, f16, f32, f64 };

constexpr int scalar_bytes(Scalar type) {
  constexpr int kBytes[] = {1, 1, 2, 2, 4, 4, 8, 8, 2, 4, 8};
  return kBytes[static_cast<int>(type)];
}

constexpr bool is_float(Scalar type) { return type >= Scalar::f16; }

/// A number at `bytes`, which need not be aligned.
template <typename T>
T load(const uint8_t* bytes, bool big_endian = false) {
  T value;
  if (big_endian) {
    uint8_t swapped[sizeof(T)];
    for (size_t i = 0; i < sizeof(T); ++i) swapped[i] = bytes[sizeof(T) - 1 - i];
    std::memcpy(&value, swapped, sizeof(T));
  } else {
    std::memcpy(&value, bytes, sizeof(T));
  }
  return value;
}

/// The number at `bytes` converted to T: double for coordinates, int64_t for counts and indices
/// (of integers only; u64 saturates at 2^63 - 1).
template <typename T>
T load_as(Scalar type, const uint8_t* bytes, bool big_endian) {
  if constexpr (std::is_integral_v<T>)
    if (type == Scalar::u64)
      return static_cast<T>(std::min<uint64_t>(load<uint64_t>(bytes, big_endian), INT64_MAX));
  switch (type) {
    case Scalar::i8:
      return static_cast<T>(load<int8_t>(bytes));
    case Scalar::u8:
      return static_cast<T>(load<uint8_t>(bytes));
    case Scalar::i16:
      return static_cast<T>(load<int16_t>(bytes, big_endian));
    case Scalar::u16:
      return static_cast<T>(load<uint16_t>(bytes, big_endian));
    case Scalar::i32:
      return static_cast<T>(load<int32_t>(bytes, big_endian));
    case Scalar::u32:
      return static_cast<T>(load<uint32_t>(bytes, big_endian));
    case Scalar::i64:
      return static_cast<T>(load<int64_t>(bytes, big_endian));
    case Scalar::u64:
      return static_cast<T>(load<uint64_t>(bytes, big_endian));
    case Scalar::f16:
      return static_cast<T>(decode_f16(load<uint16_t>(bytes, big_endian)));
    case Scalar::f32:
      return static_cast<T>(load<float>(bytes, big_endian));
    case Scalar::f64:
      return static_cast<T>(load<double>(bytes, big_endian));
  }
  return T{};
}

}  // namespace spb::data
