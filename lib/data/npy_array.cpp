// SPDX-License-Identifier: Apache-2.0
#include "data/npy_array.h"

#include <algorithm>
#include <limits>

#include "data/memory_need.h"
#include "data/scalar.h"
#include "data/text_tokens.h"

namespace spb::data {
namespace {

struct NpyHeader {
  Scalar type = Scalar::f32;
  bool big_endian = false;
  bool fortran_order = false;
  std::vector<int64_t> shape;
};

/// The header is a Python dictionary with the keys descr, fortran_order and shape.
class NpyHeaderParser {
 public:
  NpyHeaderParser(const ByteReader& file, std::string_view text) : file_(file), rest_(text) {}

  NpyHeader parse() {
    expect('{');
    while (!accept('}')) {
      const std::string key = quoted();
      expect(':');
      if (std::ranges::find(seen_, key) != seen_.end()) throw error("key " + key + " stands twice");
      seen_.push_back(key);
      if (key == "descr")
        parse_descr();
      else if (key == "fortran_order")
        header_.fortran_order = boolean();
      else if (key == "shape")
        parse_shape();
      else
        throw error("unknown key " + key);
      if (!accept(',')) {
        expect('}');
        break;
      }
    }
    skip_blanks();
    if (!rest_.empty()) throw error("text follows the dictionary");
    if (seen_.size() != 3) throw error("expected the keys descr, fortran_order and shape");
    return header_;
  }

 private:
  Error error(const std::string& what) const { return file_.error("array header: " + what); }

  void skip_blanks() {
    while (!rest_.empty() && (is_blank(rest_[0]) || rest_[0] == '\n')) rest_.remove_prefix(1);
  }
  bool accept(char c) {
    skip_blanks();
    if (rest_.empty() || rest_[0] != c) return false;
    rest_.remove_prefix(1);
    return true;
  }
  void expect(char c) {
    if (!accept(c))
      throw error("expected \"" + std::string(1, c) + "\" before \"" +
                  std::string(rest_.substr(0, 20)) + "\"");
  }

  std::string quoted() {
    const char quote = accept('\'') ? '\'' : '"';
    if (quote == '"') expect('"');
    const size_t end = rest_.find(quote);
    if (end == rest_.npos) throw error("a quote is not closed");
    std::string text(rest_.substr(0, end));
    rest_.remove_prefix(end + 1);
    return text;
  }

  bool boolean() {
    skip_blanks();
    for (const std::string_view word : {"True", "False"})
      if (rest_.starts_with(word)) {
        rest_.remove_prefix(word.size());
        return word == "True";
      }
    throw error("fortran_order is neither True nor False");
  }

  void parse_shape() {
    expect('(');
    while (!accept(')')) {
      skip_blanks();
      const size_t digits = std::min(rest_.find_first_not_of("0123456789"), rest_.size());
      const auto length = parse_number<int64_t>(rest_.substr(0, digits));
      if (!length || *length > std::numeric_limits<int32_t>::max())
        throw error("shape has a length that is not in 0 to 2^31 - 1");
      header_.shape.push_back(*length);
      rest_.remove_prefix(digits);
      if (!accept(',')) {
        expect(')');
        break;
      }
    }
  }

  void parse_descr() {
    skip_blanks();
    if (rest_.starts_with('[')) throw error("structured arrays are not read, only plain numbers");
    const std::string descr = quoted();
    constexpr struct {
      std::string_view name;
      Scalar type;
    } kTypes[] = {{"i1", Scalar::i8},  {"i2", Scalar::i16}, {"i4", Scalar::i32},
                  {"i8", Scalar::i64}, {"u1", Scalar::u8},  {"u2", Scalar::u16},
                  {"u4", Scalar::u32}, {"u8", Scalar::u64}, {"f2", Scalar::f16},
                  {"f4", Scalar::f32}, {"f8", Scalar::f64}};
    if (descr.find('O') != descr.npos)
      throw error("object arrays are not read, only plain numbers");
    for (const auto& row : kTypes)
      if (descr.size() == 3 && std::string_view("<>|=").find(descr[0]) != std::string_view::npos &&
          descr.substr(1) == row.name) {
        header_.type = row.type;
        header_.big_endian = descr[0] == '>';
        return;
      }
    throw error("type \"" + descr.substr(0, 40) + "\", expected integers or floats");
  }

  const ByteReader& file_;
  std::string_view rest_;
  std::vector<std::string> seen_;
  NpyHeader header_;
};

NpyHeader read_npy_header(ByteReader& file) {
  constexpr std::string_view kMagic = "\x93NUMPY";
  const auto magic = file.take(8, "the magic and version");
  if (!std::equal(kMagic.begin(), kMagic.end(), magic.begin(),
                  [](char a, uint8_t b) { return static_cast<uint8_t>(a) == b; }))
    throw file.error_at(0, "is not a NumPy array: wrong magic");
  const int version = magic[6];
  if (version < 1 || version > 3)
    throw file.error_at(6, "version " + std::to_string(version) + ", expected 1 to 3");
  const int length_bytes = version == 1 ? 2 : 4;
  const auto length_field = file.take(length_bytes, "the header length");
  const int64_t length =
      load_as<int64_t>(version == 1 ? Scalar::u16 : Scalar::u32, length_field.data(), false);
  if (length > kMaxHeaderBytes)
    throw file.error("header of " + std::to_string(length) + " bytes, expected at most 65536");
  const auto text = file.take(length, "the header");
  return NpyHeaderParser(file, {reinterpret_cast<const char*>(text.data()), text.size()}).parse();
}

/// Calls store(row, column, bytes) for the first `wanted` columns of every row, in file order.
template <typename Store>
void for_elements(ByteReader& file, const NpyHeader& header, int64_t wanted, Store&& store) {
  const int64_t rows = header.shape[0], columns = header.shape[1];
  const int64_t size = scalar_bytes(header.type);
  if (header.fortran_order) {
    for (int64_t column = 0; column < wanted; ++column)
      file.for_blocks(rows, size, "a column", [&](int64_t first, int64_t n, const uint8_t* bytes) {
        for (int64_t row = 0; row < n; ++row) store(first + row, column, bytes + row * size);
      });
    file.skip(rows * size * (columns - wanted), "columns");
    return;
  }
  file.for_blocks(rows, columns * size, "rows",
                  [&](int64_t first, int64_t n, const uint8_t* bytes) {
                    for (int64_t row = 0; row < n; ++row, bytes += columns * size)
                      for (int64_t column = 0; column < wanted; ++column)
                        store(first + row, column, bytes + column * size);
                  });
}

std::vector<Point> read_points(ByteReader& file, const NpyHeader& header) {
  constexpr double Point::*kAxes[] = {&Point::x, &Point::y, &Point::z};
  std::vector<Point> points(static_cast<size_t>(header.shape[0]));
  for_elements(file, header, 3, [&](int64_t row, int64_t column, const uint8_t* bytes) {
    points[static_cast<size_t>(row)].*kAxes[column] =
        load_as<double>(header.type, bytes, header.big_endian);
  });
  return points;
}

std::vector<Coord> read_coords(ByteReader& file, const NpyHeader& header, const std::string& axes) {
  if (axes != "bxyz" && axes != "bzyx")
    throw usage_error("--axes", "\"" + axes + "\" is unknown", "use bxyz or bzyx");
  const int64_t columns = header.shape[1];
  int32_t Coord::*members[4] = {};
  for (size_t column = 0; column < static_cast<size_t>(columns); ++column) {
    const char axis = axes[column + 4 - static_cast<size_t>(columns)];
    members[column] = axis == 'b'   ? &Coord::batch
                      : axis == 'x' ? &Coord::x
                      : axis == 'y' ? &Coord::y
                                    : &Coord::z;
  }
  std::vector<Coord> coords(static_cast<size_t>(header.shape[0]));
  for_elements(file, header, columns, [&](int64_t row, int64_t column, const uint8_t* bytes) {
    const int64_t value = load_as<int64_t>(header.type, bytes, header.big_endian);
    const bool is_batch = members[column] == &Coord::batch;
    if (value > std::numeric_limits<int32_t>::max() ||
        value < (is_batch ? 0 : std::numeric_limits<int32_t>::min()))
      throw input_error(file.path() + ", row " + std::to_string(row),
                        (is_batch ? "batch index " : "coordinate ") + std::to_string(value) +
                            " is not in " + (is_batch ? "0" : "-2^31") + " to 2^31 - 1");
    coords[static_cast<size_t>(row)].*members[column] = static_cast<int32_t>(value);
  });
  return coords;
}

}  // namespace

PointCloud read_npy_array(ByteReader& file, const ReadOptions& options) {
  const NpyHeader header = read_npy_header(file);
  std::string shape;
  for (const int64_t length : header.shape)
    shape.append(shape.empty() ? "" : ", ").append(std::to_string(length));

  const bool is_coords = !is_float(header.type);
  const int64_t columns = header.shape.size() == 2 ? header.shape[1] : 0;
  if (columns < 3 || (is_coords && columns > 4))
    throw file.error("array has shape [" + shape + "], expected " +
                     (is_coords ? "[n, 3] or [n, 4] of integers" : "[n, 3] or wider of floats"));
  // One row at a time is in memory, and some bytes of an archive unfold to a row of gigabytes.
  constexpr int64_t kMostColumns = 1024;
  if (columns > kMostColumns)
    throw file.error("array has " + std::to_string(columns) + " columns, expected at most " +
                         std::to_string(kMostColumns),
                     "write x, y and z alone");
  const int64_t row_bytes = columns * scalar_bytes(header.type);
  file.require_rows(header.shape[0], row_bytes, "rows");
  require_memory(header.shape[0], file.path());
  if (const int64_t extra = file.remaining() - header.shape[0] * row_bytes; extra != 0)
    throw file.error_at(file.size() - extra, std::to_string(extra) + " bytes follow the array",
                        "the file is damaged; fetch it again");

  PointCloud cloud;
  cloud.is_coords = is_coords;
  if (is_coords)
    cloud.coords = read_coords(file, header, options.axes);
  else
    cloud.points = read_points(file, header);
  return cloud;
}

}  // namespace spb::data
