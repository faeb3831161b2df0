// SPDX-License-Identifier: Apache-2.0
// The header of a PLY file: elements and their properties, in file order.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <vector>

#include "data/byte_reader.h"
#include "data/scalar.h"

namespace spb::data {

struct PlyProperty {
  std::string name;
  Scalar type = Scalar::f32;
  std::optional<Scalar> count_type;  ///< of lists only
};

struct PlyElement {
  std::string name;
  int64_t count = 0;
  std::vector<PlyProperty> properties;

  bool has_list() const;
  /// Bytes of a row in binary files; with lists, of a row whose lists are empty.
  int64_t min_row_bytes() const;
};

enum class PlyEncoding { ascii, little, big };

struct PlyHeader {
  PlyEncoding encoding = PlyEncoding::ascii;
  std::vector<PlyElement> elements;
  int64_t lines = 0;  ///< including end_header
};

/// Reads up to and including end_header. Throws Error (runtime) with the line.
PlyHeader read_ply_header(ByteReader& file);

}  // namespace spb::data
