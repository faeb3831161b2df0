// SPDX-License-Identifier: Apache-2.0
// Wavefront OBJ: vertices and faces; everything else is passed over.
#include <limits>
#include <string>

#include "data/byte_reader.h"
#include "data/formats_internal.h"
#include "data/text_tokens.h"

namespace spb::data {
namespace {

namespace fs = std::filesystem;

class ObjReader {
 public:
  explicit ObjReader(const fs::path& path) : path_(path) {}

  void line(std::string_view text) {
    ++line_;
    const std::string_view keyword = next_word(text);
    if (keyword == "v") vertex(text);
    if (keyword == "f") face(text);
  }

  PointCloud finish() {
    if (cloud_.points.empty()) throw line_error(path_, line_, "no vertex (v x y z) in the file");
    if (highest_ >= static_cast<int64_t>(cloud_.points.size()))
      throw line_error(path_, highest_line_,
                       "face uses vertex " + std::to_string(highest_ + 1) + ", expected 1 to " +
                           std::to_string(cloud_.points.size()));
    return std::move(cloud_);
  }

 private:
  void vertex(std::string_view text) {
    double values[3];
    for (double& value : values) {
      const std::string_view word = next_word(text);
      const auto number = parse_number<double>(word);
      if (!number)
        throw line_error(path_, line_,
                         "found \"" + std::string(word.substr(0, 40)) +
                             "\" in a vertex, expected three numbers");
      value = *number;
    }
    if (cloud_.points.size() >= std::numeric_limits<int32_t>::max())
      throw line_error(path_, line_, "more than 2^31 - 1 vertices");
    cloud_.points.push_back({values[0], values[1], values[2]});
  }

  /// A polygon becomes a fan round its first corner.
  void face(std::string_view text) {
    int32_t first = 0, previous = 0;
    int corners = 0;
    for (auto word = next_word(text); !word.empty(); word = next_word(text)) {
      const int32_t row = corner(word);
      if (++corners == 1) first = row;
      if (corners >= 3) cloud_.triangles.push_back({first, previous, row});
      previous = row;
    }
    if (corners < 3)
      throw line_error(
          path_, line_,
          "found " + std::to_string(corners) + " corners in a face, expected 3 or more");
  }

  /// The vertex of "v", "v/vt", "v//vn" or "v/vt/vn": from 1, or counted back from the last one.
  int32_t corner(std::string_view word) {
    const auto index = parse_number<int64_t>(word.substr(0, word.find('/')));
    const auto count = static_cast<int64_t>(cloud_.points.size());
    const int64_t row = !index ? -1 : *index > 0 ? *index - 1 : *index < 0 ? count + *index : -1;
    if (row < 0 || row >= std::numeric_limits<int32_t>::max())
      throw line_error(path_, line_,
                       "found \"" + std::string(word.substr(0, 40)) +
                           "\" in a face, expected a vertex number, from 1 or negative");
    // Faces may stand before their vertices, so the upper end is checked last.
    if (row > highest_) highest_ = row, highest_line_ = line_;
    return static_cast<int32_t>(row);
  }

  fs::path path_;
  PointCloud cloud_;
  int64_t line_ = 0;
  int64_t highest_ = -1, highest_line_ = 0;
};

}  // namespace

PointCloud read_obj(const fs::path& path, const ReadOptions&) {
  const std::string file = read_text(path);
  std::string_view text = file;
  ObjReader reader(path);
  while (!text.empty()) reader.line(next_line(text));
  return reader.finish();
}

}  // namespace spb::data
