// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <lzf.h>
#include <map>
#include <optional>
#include <vector>

#include "data/byte_reader.h"
#include "data/formats_internal.h"
#include "data/scalar.h"
#include "data/text_tokens.h"

namespace spb::data {
namespace {

struct Field {
  std::string name;
  Scalar type = Scalar::f32;
  int64_t count = 1;
  int64_t offset = 0;  ///< bytes before it in a row
  int64_t word = 0;    ///< values before it in a row of text
};

struct PcdHeader {
  std::vector<Field> fields;
  std::array<const Field*, 3> axes{};
  int64_t points = 0;
  int64_t row_bytes = 0;
  int64_t row_words = 0;
  std::string data;  ///< ascii, binary, binary_compressed
  int64_t lines = 0;
};

using Entries = std::map<std::string, std::vector<std::string>>;

/// Keyword to values, up to and including DATA.
Entries read_entries(ByteReader& file, int64_t& lines) {
  constexpr std::string_view kKeywords[] = {"VERSION", "FIELDS",    "SIZE",   "TYPE",   "COUNT",
                                            "WIDTH",   "VIEWPOINT", "HEIGHT", "POINTS", "DATA"};
  Entries entries;
  while (!entries.contains("DATA")) {
    const std::string line = file.header_line("the PCD header");
    ++lines;
    std::string_view rest = line;
    const std::string keyword(next_word(rest));
    if (keyword.empty() || keyword[0] == '#') continue;
    if (std::ranges::find(kKeywords, keyword) == std::end(kKeywords))
      throw line_error(file.path(), lines,
                       "expected a PCD header keyword, found \"" + line.substr(0, 40) + "\"");
    const auto [entry, is_new] = entries.try_emplace(keyword);
    if (!is_new) throw line_error(file.path(), lines, keyword + " stands twice in the header");
    for (std::string_view word = next_word(rest); !word.empty(); word = next_word(rest))
      entry->second.emplace_back(word);
  }
  return entries;
}

std::optional<Scalar> scalar_of(const std::string& type, const std::string& size) {
  constexpr struct {
    std::string_view type, size;
    Scalar scalar;
  } kTypes[] = {{"I", "1", Scalar::i8},  {"I", "2", Scalar::i16}, {"I", "4", Scalar::i32},
                {"I", "8", Scalar::i64}, {"U", "1", Scalar::u8},  {"U", "2", Scalar::u16},
                {"U", "4", Scalar::u32}, {"U", "8", Scalar::u64}, {"F", "4", Scalar::f32},
                {"F", "8", Scalar::f64}};
  for (const auto& row : kTypes)
    if (row.type == type && row.size == size) return row.scalar;
  return std::nullopt;
}

class PcdHeaderParser {
 public:
  PcdHeaderParser(const ByteReader& file, const Entries& entries)
      : file_(file), entries_(entries) {}

  PcdHeader parse() {
    const std::string version = one("VERSION");
    if (version != "0.7" && version != ".7")
      throw error("VERSION is " + version + ", expected 0.7");
    parse_fields();
    find_axes();
    const int64_t width = number("WIDTH"), height = number("HEIGHT");
    header_.points = entries_.contains("POINTS") ? number("POINTS") : width * height;
    if (header_.points != width * height)
      throw error("POINTS is " + std::to_string(header_.points) +
                  ", expected WIDTH x HEIGHT = " + std::to_string(width * height));
    header_.data = one("DATA");
    return std::move(header_);
  }

 private:
  Error error(const std::string& what) const {
    return input_error(file_.path() + ", header", what);
  }

  const std::vector<std::string>& values(const std::string& keyword) const {
    const auto entry = entries_.find(keyword);
    if (entry == entries_.end()) throw error(keyword + " is missing");
    return entry->second;
  }

  std::string one(const std::string& keyword) const {
    const auto& all = values(keyword);
    if (all.size() != 1)
      throw error(keyword + " has " + std::to_string(all.size()) + " values, expected 1");
    return all[0];
  }

  /// In [0, 2^31 - 1], so that products of two of them fit int64.
  int64_t to_count(const std::string& keyword, const std::string& text) const {
    const auto value = parse_number<int64_t>(text);
    if (!value || *value < 0 || *value > INT32_MAX)
      throw error(keyword + " has \"" + text + "\", expected 0 to 2^31 - 1");
    return *value;
  }
  int64_t number(const std::string& keyword) const { return to_count(keyword, one(keyword)); }

  void parse_fields() {
    const auto& names = values("FIELDS");
    const auto& sizes = values("SIZE");
    const auto& types = values("TYPE");
    // COUNT may be absent and is then 1; padding fields may even have COUNT 0.
    const std::vector<std::string> ones(names.size(), "1");
    const auto& counts = entries_.contains("COUNT") ? values("COUNT") : ones;
    if (sizes.size() != names.size() || types.size() != names.size() ||
        counts.size() != names.size())
      throw error("FIELDS, SIZE, TYPE and COUNT have different lengths");
    for (size_t i = 0; i < names.size(); ++i) {
      const auto type = scalar_of(types[i], sizes[i]);
      if (!type) throw error("field " + names[i] + " has unknown type " + types[i] + sizes[i]);
      const Field field{names[i], *type, to_count("COUNT", counts[i]), header_.row_bytes,
                        header_.row_words};
      header_.row_bytes += field.count * scalar_bytes(*type);
      header_.row_words += field.count;
      header_.fields.push_back(field);
    }
  }

  void find_axes() {
    for (size_t axis = 0; axis < 3; ++axis) {
      const std::string name(1, "xyz"[axis]);
      int found = 0;
      for (const Field& field : header_.fields)
        if (field.name == name) {
          header_.axes[axis] = &field;
          ++found;
        }
      if (found != 1 || header_.axes[axis]->count != 1)
        throw error("field " + name + " must stand once, with COUNT 1");
    }
  }

  const ByteReader& file_;
  const Entries& entries_;
  PcdHeader header_;
};

std::vector<Point> read_binary(ByteReader& file, const PcdHeader& header) {
  file.require_rows(header.points, header.row_bytes, "points");
  std::vector<Point> points;
  points.reserve(static_cast<size_t>(header.points));
  const Field *x = header.axes[0], *y = header.axes[1], *z = header.axes[2];
  file.for_blocks(header.points, header.row_bytes, "points",
                  [&](int64_t, int64_t n, const uint8_t* bytes) {
                    for (int64_t row = 0; row < n; ++row, bytes += header.row_bytes)
                      points.push_back({load_as<double>(x->type, bytes + x->offset, false),
                                        load_as<double>(y->type, bytes + y->offset, false),
                                        load_as<double>(z->type, bytes + z->offset, false)});
                  });
  return points;
}

/// Two uint32 (compressed bytes, plain bytes), then one LZF block, then anything: PCL pads it.
std::vector<Point> read_compressed(ByteReader& file, const PcdHeader& header) {
  constexpr int64_t kMaxRatio = 88;  // of LZF: 264 bytes from 3
  const auto sizes = file.take(8, "the sizes of the compressed block");
  const int64_t compressed = load<uint32_t>(sizes.data());
  const int64_t plain = load<uint32_t>(sizes.data() + 4);
  // points <= 2^31 - 1 and plain < 2^32, so the quotient test cannot overflow.
  if (header.points == 0 ? plain != 0
                         : plain % header.points != 0 || plain / header.points != header.row_bytes)
    throw file.error("block declares " + std::to_string(plain) + " plain bytes, expected " +
                     std::to_string(header.points) + " points of " +
                     std::to_string(header.row_bytes) + " bytes");
  if (plain == 0) return {};
  if (plain > compressed * kMaxRatio)
    throw file.error("block of " + std::to_string(compressed) + " bytes cannot hold the declared " +
                     std::to_string(plain));
  const int64_t start = file.position();
  const auto block = file.take(compressed, "the compressed block");
  std::vector<uint8_t> bytes(static_cast<size_t>(plain));
  // A truncated block still decompresses, to fewer bytes.
  const int64_t written = lzf_decompress(block.data(), static_cast<unsigned>(compressed),
                                         bytes.data(), static_cast<unsigned>(plain));
  if (written != plain)
    throw file.error_at(start,
                        "block decompresses to " + std::to_string(written) + " bytes, expected " +
                            std::to_string(plain),
                        "the file is damaged; fetch it again");

  // Compressed rows stand field after field.
  const auto value = [&](const Field& field, int64_t row) {
    const int64_t offset = field.offset * header.points + row * scalar_bytes(field.type);
    return load_as<double>(field.type, bytes.data() + offset, false);
  };
  std::vector<Point> points(static_cast<size_t>(header.points));
  for (int64_t row = 0; row < header.points; ++row)
    points[static_cast<size_t>(row)] = {value(*header.axes[0], row), value(*header.axes[1], row),
                                        value(*header.axes[2], row)};
  return points;
}

std::vector<Point> read_ascii(ByteReader& file, const PcdHeader& header) {
  // Each value takes a character and a separator, the last one maybe none.
  file.require_rows(header.points, 2 * header.row_words - 1, "rows");
  const auto body = static_cast<size_t>(file.position());
  const std::string content = read_text(file.path());
  std::string_view text = std::string_view(content).substr(body);
  std::vector<Point> points;
  points.reserve(static_cast<size_t>(header.points));
  int64_t line_number = header.lines;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    ++line_number;
    std::array<double, 3> xyz{};
    int64_t words = 0;
    for (auto word = next_word(line); !word.empty(); word = next_word(line), ++words)
      for (size_t axis = 0; axis < 3; ++axis) {
        if (header.axes[axis]->word != words) continue;
        const auto number = parse_number<double>(word);
        if (!number)
          throw line_error(file.path(), line_number,
                           "expected a number, found \"" + std::string(word.substr(0, 40)) + "\"");
        xyz[axis] = *number;
      }
    if (words == 0) continue;
    if (words != header.row_words)
      throw line_error(file.path(), line_number,
                       "row has " + std::to_string(words) + " values, expected " +
                           std::to_string(header.row_words));
    points.push_back({xyz[0], xyz[1], xyz[2]});
  }
  if (static_cast<int64_t>(points.size()) != header.points)
    throw line_error(file.path(), line_number,
                     "file has " + std::to_string(points.size()) + " rows, expected " +
                         std::to_string(header.points),
                     "the file is truncated or damaged; fetch it again");
  return points;
}

}  // namespace

PointCloud read_pcd(const std::filesystem::path& path, const ReadOptions&) {
  ByteReader file(path);
  int64_t lines = 0;
  const Entries entries = read_entries(file, lines);
  PcdHeader header = PcdHeaderParser(file, entries).parse();
  header.lines = lines;

  PointCloud cloud;
  if (header.data == "ascii")
    cloud.points = read_ascii(file, header);
  else if (header.data == "binary")
    cloud.points = read_binary(file, header);
  else if (header.data == "binary_compressed")
    cloud.points = read_compressed(file, header);
  else
    throw line_error(file.path(), lines,
                     "DATA is \"" + header.data.substr(0, 40) +
                         "\", expected ascii, binary or binary_compressed");
  return cloud;
}

}  // namespace spb::data
