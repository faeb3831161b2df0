// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <vector>

#include "data/formats_internal.h"
#include "data/ply_header.h"
#include "data/text_tokens.h"

namespace spb::data {
namespace {

using Axes = std::array<size_t, 3>;  ///< property of x, y, z

/// The vertex element's coordinates. Throws unless each is there exactly once.
Axes find_axes(const ByteReader& file, const PlyElement& vertex) {
  Axes axes{};
  for (size_t axis = 0; axis < 3; ++axis) {
    const std::string name(1, "xyz"[axis]);
    int found = 0;
    for (size_t i = 0; i < vertex.properties.size(); ++i)
      if (vertex.properties[i].name == name && !vertex.properties[i].count_type) {
        axes[axis] = i;
        ++found;
      }
    if (found != 1)
      throw input_error(file.path(), "property " + name + " stands " + std::to_string(found) +
                                         " times in element vertex, expected once");
  }
  return axes;
}

/// The list of vertex rows in a face element, or npos.
size_t find_indices(const ByteReader& file, const PlyElement& face) {
  for (size_t i = 0; i < face.properties.size(); ++i) {
    const PlyProperty& property = face.properties[i];
    if (property.name != "vertex_indices" && property.name != "vertex_index") continue;
    if (!property.count_type || is_float(property.type))
      throw input_error(file.path(), "property " + property.name +
                                         " of element face is not a list "
                                         "of integers");
    return i;
  }
  throw input_error(file.path(), "element face has no list vertex_indices");
}

/// Collects one polygon after the other as a fan of triangles.
class FanBuilder {
 public:
  FanBuilder(std::vector<Triangle>& triangles, int64_t vertices)
      : triangles_(triangles), vertices_(vertices) {}

  void start() { corners_ = 0; }
  /// False when `vertex` is no row of the vertices.
  bool add(int64_t vertex) {
    if (vertex < 0 || vertex >= vertices_) return false;
    const auto corner = static_cast<int32_t>(vertex);
    if (corners_ == 0) first_ = corner;
    if (corners_ >= 2) triangles_.push_back({first_, previous_, corner});
    previous_ = corner;
    ++corners_;
    return true;
  }

 private:
  std::vector<Triangle>& triangles_;
  int64_t vertices_;
  int64_t corners_ = 0;
  int32_t first_ = 0, previous_ = 0;
};

/// Yields a row's values in file order: binary or text behind the same three calls.
class BinaryRows {
 public:
  BinaryRows(ByteReader& file, bool big_endian) : file_(file), big_endian_(big_endian) {}
  void start_row() {}
  void end_row() {}
  double number(Scalar type) { return load_as<double>(type, bytes(type), big_endian_); }
  int64_t integer(Scalar type) { return load_as<int64_t>(type, bytes(type), big_endian_); }
  /// A list's count, believed only when the file still holds that many elements.
  int64_t count(const PlyProperty& list) {
    const int64_t n = integer(*list.count_type);
    file_.require_rows(n, scalar_bytes(list.type), "list elements");
    return n;
  }
  void skip(Scalar type, int64_t n) { file_.skip(n * scalar_bytes(type), "a row"); }
  Error error(const std::string& what) const { return file_.error(what); }

 private:
  const uint8_t* bytes(Scalar type) { return file_.take(scalar_bytes(type), "a row").data(); }
  ByteReader& file_;
  bool big_endian_;
};

class TextRows {
 public:
  TextRows(const std::string& path, std::string_view text, int64_t header_lines)
      : path_(path), text_(text), line_(header_lines) {}
  void start_row() {
    for (row_ = {}; row_.find_first_not_of(" \t\r") == row_.npos; row_ = next_line(text_), ++line_)
      if (text_.empty()) throw error("file ends before the declared rows; it is truncated");
  }
  void end_row() {
    if (!next_word(row_).empty()) throw error("row has more values than declared");
  }
  double number(Scalar) { return parse<double>("a number"); }
  int64_t integer(Scalar) { return parse<int64_t>("an integer"); }
  int64_t count(const PlyProperty& list) {
    const int64_t n = integer(*list.count_type);
    if (n < 0) throw error("list count is negative");
    return n;
  }
  void skip(Scalar, int64_t n) {
    for (int64_t i = 0; i < n; ++i)
      if (next_word(row_).empty()) throw error("row has fewer values than declared");
  }
  Error error(const std::string& what) const { return line_error(path_, line_, what); }
  void expect_end() {
    while (!text_.empty()) {
      row_ = next_line(text_);
      ++line_;
      if (!next_word(row_).empty()) throw error("text follows the declared rows");
    }
  }

 private:
  template <typename T>
  T parse(const char* expected) {
    const std::string_view word = next_word(row_);
    const auto value = parse_number<T>(word);
    if (!value)
      throw error("expected " + std::string(expected) + ", found \"" +
                  std::string(word.substr(0, 40)) + "\"");
    return *value;
  }
  const std::string& path_;
  std::string_view text_, row_;
  int64_t line_;
};

template <typename Rows>
void skip_property(Rows& rows, const PlyProperty& property) {
  rows.skip(property.type, property.count_type ? rows.count(property) : 1);
}

template <typename Rows>
void read_vertices(Rows& rows, const PlyElement& element, const Axes& axes,
                   std::vector<Point>& points) {
  std::array<double, 3> xyz{};
  for (int64_t row = 0; row < element.count; ++row) {
    rows.start_row();
    for (size_t i = 0; i < element.properties.size(); ++i) {
      const auto axis = static_cast<size_t>(std::find(axes.begin(), axes.end(), i) - axes.begin());
      if (axis < 3)
        xyz[axis] = rows.number(element.properties[i].type);
      else
        skip_property(rows, element.properties[i]);
    }
    rows.end_row();
    points.push_back({xyz[0], xyz[1], xyz[2]});
  }
}

template <typename Rows>
void read_faces(Rows& rows, const PlyElement& element, size_t indices, int64_t vertices,
                std::vector<Triangle>& triangles) {
  FanBuilder fan(triangles, vertices);
  for (int64_t row = 0; row < element.count; ++row) {
    rows.start_row();
    for (size_t i = 0; i < element.properties.size(); ++i) {
      const PlyProperty& property = element.properties[i];
      if (i != indices) {
        skip_property(rows, property);
        continue;
      }
      fan.start();
      for (int64_t left = rows.count(property); left > 0; --left)
        if (const int64_t vertex = rows.integer(property.type); !fan.add(vertex))
          throw rows.error("face " + std::to_string(row) + " names vertex " +
                           std::to_string(vertex) + " of " + std::to_string(vertices));
    }
    rows.end_row();
  }
}

template <typename Rows>
void skip_rows(Rows& rows, const PlyElement& element) {
  if (element.properties.empty()) return;
  for (int64_t row = 0; row < element.count; ++row) {
    rows.start_row();
    for (const PlyProperty& property : element.properties) skip_property(rows, property);
    rows.end_row();
  }
}

/// Binary vertices without lists, many rows at a time.
void read_fixed_vertices(ByteReader& file, const PlyElement& element, const Axes& axes,
                         bool big_endian, std::vector<Point>& points) {
  std::array<Scalar, 3> types{};
  std::array<int64_t, 3> offsets{};
  int64_t row_bytes = 0;
  for (size_t i = 0; i < element.properties.size(); ++i) {
    for (size_t axis = 0; axis < 3; ++axis)
      if (axes[axis] == i) {
        types[axis] = element.properties[i].type;
        offsets[axis] = row_bytes;
      }
    row_bytes += scalar_bytes(element.properties[i].type);
  }
  file.for_blocks(element.count, row_bytes, "element vertex",
                  [&](int64_t, int64_t n, const uint8_t* bytes) {
                    for (int64_t row = 0; row < n; ++row, bytes += row_bytes)
                      points.push_back({load_as<double>(types[0], bytes + offsets[0], big_endian),
                                        load_as<double>(types[1], bytes + offsets[1], big_endian),
                                        load_as<double>(types[2], bytes + offsets[2], big_endian)});
                  });
}

const PlyElement& find_vertex(const ByteReader& file, const PlyHeader& header) {
  const PlyElement* vertex = nullptr;
  for (const PlyElement& element : header.elements) {
    if (element.name == "vertex") {
      if (vertex) throw input_error(file.path(), "element vertex is declared twice");
      vertex = &element;
    }
    if (element.name == "tristrips")
      throw input_error(file.path(), "triangle strips (element tristrips) are not read",
                        "convert them to faces");
  }
  if (!vertex) throw input_error(file.path(), "header has no element vertex");
  return *vertex;
}

void read_binary(ByteReader& file, const PlyHeader& header, PointCloud& cloud) {
  const PlyElement& vertex = find_vertex(file, header);
  const Axes axes = find_axes(file, vertex);
  const bool big_endian = header.encoding == PlyEncoding::big;
  BinaryRows rows(file, big_endian);
  for (const PlyElement& element : header.elements) {
    const int64_t row_bytes = element.min_row_bytes();
    file.require_rows(element.count, row_bytes, "rows of element " + element.name);
    if (&element == &vertex) {
      cloud.points.reserve(static_cast<size_t>(element.count));
      if (element.has_list())
        read_vertices(rows, element, axes, cloud.points);
      else
        read_fixed_vertices(file, element, axes, big_endian, cloud.points);
    } else if (element.name == "face") {
      read_faces(rows, element, find_indices(file, element), vertex.count, cloud.triangles);
    } else if (element.has_list()) {
      skip_rows(rows, element);
    } else {
      file.skip(element.count * row_bytes, "element " + element.name);
    }
  }
  if (file.remaining() > 0)
    throw file.error(std::to_string(file.remaining()) +
                         " bytes follow the last element, as after "
                         "a line-end conversion",
                     "the file is damaged; fetch it again");
}

void read_ascii(ByteReader& file, const PlyHeader& header, PointCloud& cloud) {
  const PlyElement& vertex = find_vertex(file, header);
  const Axes axes = find_axes(file, vertex);
  const int64_t body = file.position();
  const std::string text = read_text(file.path());
  TextRows rows(file.path(), std::string_view(text).substr(static_cast<size_t>(body)),
                header.lines);
  for (const PlyElement& element : header.elements) {
    // Each value takes a character and a separator, the last of the file maybe none.
    const int64_t words = std::ssize(element.properties);
    file.require_rows(element.count, 2 * words - 1, "rows of element " + element.name);
    if (&element == &vertex) {
      cloud.points.reserve(static_cast<size_t>(element.count));
      read_vertices(rows, element, axes, cloud.points);
    } else if (element.name == "face") {
      read_faces(rows, element, find_indices(file, element), vertex.count, cloud.triangles);
    } else {
      skip_rows(rows, element);
    }
  }
  rows.expect_end();
}

}  // namespace

PointCloud read_ply(const std::filesystem::path& path, const ReadOptions&) {
  ByteReader file(path);
  const PlyHeader header = read_ply_header(file);
  PointCloud cloud;
  if (header.encoding == PlyEncoding::ascii)
    read_ascii(file, header, cloud);
  else
    read_binary(file, header, cloud);
  return cloud;
}

}  // namespace spb::data
