// SPDX-License-Identifier: Apache-2.0
#include "data/ply_header.h"

#include <algorithm>

#include "data/text_tokens.h"

namespace spb::data {
namespace {

struct TypeName {
  std::string_view name;
  Scalar type;
};
constexpr TypeName kTypeNames[] = {
    {"char", Scalar::i8},    {"uchar", Scalar::u8},    {"short", Scalar::i16},
    {"ushort", Scalar::u16}, {"int", Scalar::i32},     {"uint", Scalar::u32},
    {"float", Scalar::f32},  {"double", Scalar::f64},  {"int8", Scalar::i8},
    {"uint8", Scalar::u8},   {"int16", Scalar::i16},   {"uint16", Scalar::u16},
    {"int32", Scalar::i32},  {"uint32", Scalar::u32},  {"int64", Scalar::i64},
    {"uint64", Scalar::u64}, {"float32", Scalar::f32}, {"float64", Scalar::f64},
};

/// One header line, word by word, with its errors.
struct HeaderLine {
  const ByteReader& file;
  int64_t number;
  std::string text;
  std::string_view rest;

  Error error(std::string_view what) const {
    return line_error(file.path(), number,
                      std::string(what) + ", found \"" + text.substr(0, 80) + "\"");
  }
  std::string_view word(std::string_view expected) {
    const std::string_view next = next_word(rest);
    if (next.empty()) throw error("expected " + std::string(expected));
    return next;
  }
  Scalar type() {
    const std::string_view name = word("a type");
    const auto* known = std::ranges::find(kTypeNames, name, &TypeName::name);
    if (known == std::end(kTypeNames)) throw error("expected a known type");
    return known->type;
  }
};

PlyEncoding parse_encoding(HeaderLine& line) {
  const std::string_view encoding = line.word("an encoding");
  if (line.word("version 1.0") != "1.0") throw line.error("expected version 1.0");
  if (encoding == "ascii") return PlyEncoding::ascii;
  if (encoding == "binary_little_endian") return PlyEncoding::little;
  if (encoding == "binary_big_endian") return PlyEncoding::big;
  throw line.error("expected ascii, binary_little_endian or binary_big_endian");
}

PlyElement parse_element(HeaderLine& line) {
  PlyElement element;
  element.name = line.word("an element name");
  const auto count = parse_number<int64_t>(line.word("a count"));
  if (!count || *count < 0 || *count > INT32_MAX)
    throw line.error("expected a count of 0 to 2^31 - 1");
  element.count = *count;
  return element;
}

PlyProperty parse_property(HeaderLine& line) {
  PlyProperty property;
  HeaderLine ahead = line;
  if (ahead.word("a type") == "list") {
    line.word("list");
    property.count_type = line.type();
    if (is_float(*property.count_type)) throw line.error("expected an integer list count");
  }
  property.type = line.type();
  property.name = line.word("a property name");
  return property;
}

}  // namespace

bool PlyElement::has_list() const {
  return std::ranges::any_of(properties, [](const auto& p) { return p.count_type.has_value(); });
}

int64_t PlyElement::min_row_bytes() const {
  int64_t bytes = 0;
  for (const PlyProperty& property : properties)
    bytes += scalar_bytes(property.count_type.value_or(property.type));
  return bytes;
}

PlyHeader read_ply_header(ByteReader& file) {
  if (const auto magic = file.take(std::min<int64_t>(3, file.size()), "the magic \"ply\"");
      !std::ranges::equal(magic, std::string_view("ply")))
    throw file.error_at(0, "is not a PLY file: the first bytes are not \"ply\"");
  if (!file.header_line("the PLY header").empty())
    throw line_error(file.path(), 1, "expected \"ply\" alone on the first line");

  PlyHeader header;
  bool has_format = false;
  for (header.lines = 2;; ++header.lines) {
    HeaderLine line{file, header.lines, file.header_line("the PLY header"), {}};
    line.rest = line.text;
    const std::string_view keyword = line.word("a header keyword");
    if (keyword == "end_header") break;
    if (keyword == "comment" || keyword == "obj_info") continue;
    if (keyword == "format") {
      header.encoding = parse_encoding(line);
      has_format = true;
    } else if (keyword == "element") {
      header.elements.push_back(parse_element(line));
    } else if (keyword == "property") {
      if (header.elements.empty()) throw line.error("expected an element before its properties");
      header.elements.back().properties.push_back(parse_property(line));
    } else {
      throw line.error("expected format, element, property, comment or end_header");
    }
    if (!next_word(line.rest).empty()) throw line.error("expected nothing more on this line");
  }
  if (!has_format) throw line_error(file.path(), header.lines, "header has no format line");
  return header;
}

}  // namespace spb::data
