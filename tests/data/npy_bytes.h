// SPDX-License-Identifier: Apache-2.0
// NumPy arrays as bytes, for tests.
#pragma once

#include <string>

#include "data/temp_file.h"

namespace spb::data {

/// A version 1 array with `header` as its dictionary.
inline std::string npy_bytes(const std::string& header, const std::string& body) {
  return "\x93NUMPY" + std::string("\x01\x00", 2) + raw(static_cast<uint16_t>(header.size())) +
         header + body;
}

inline std::string npy_bytes(const std::string& descr, const std::string& shape,
                             const std::string& body, bool fortran_order = false) {
  return npy_bytes("{'descr': '" + descr + "', 'fortran_order': " +
                       (fortran_order ? "True" : "False") + ", 'shape': (" + shape + "), }   \n",
                   body);
}

/// `values` as T, one after the other.
template <typename T>
std::string raw_all(std::initializer_list<T> values, bool big_endian = false) {
  std::string bytes;
  for (const T value : values) bytes += raw(value, big_endian);
  return bytes;
}

}  // namespace spb::data
