// SPDX-License-Identifier: Apache-2.0
// Text columns: .csv with commas or semicolons, .xyz and .txt with blanks.
#include <algorithm>
#include <array>
#include <csv.h>
#include <exception>
#include <functional>
#include <string>
#include <vector>

#include "data/byte_reader.h"
#include "data/formats_internal.h"
#include "data/text_tokens.h"

namespace spb::data {
namespace {

namespace fs = std::filesystem;
using Fields = std::vector<std::string_view>;

/// `text` as it may stand in a message: short and printable.
std::string quoted(std::string_view text) {
  std::string shown(text.substr(0, 40));
  for (char& c : shown)
    if (c < ' ' || c > '~') c = '?';
  return "\"" + shown + "\"";
}

std::string lower(std::string_view text) {
  std::string result(text);
  for (char& c : result)
    if (c >= 'A' && c <= 'Z') c = static_cast<char>(c - 'A' + 'a');
  return result;
}

/// The rows of one file, whatever separates their columns.
class Table {
 public:
  explicit Table(const fs::path& path) : path_(path) {}

  void add(const Fields& fields, int64_t line) {
    if (std::ranges::all_of(fields, &std::string_view::empty)) return;
    const bool comment = fields[0].starts_with('#') || fields[0].starts_with("//");
    if (!started_ && add_header(fields, line)) return;
    if (comment) return;
    if (!started_) start(fields.size());
    if (fields.size() != column_count_)
      throw line_error(path_, line,
                       "found " + std::to_string(fields.size()) + " columns, expected " +
                           std::to_string(column_count_) + " as in the first row",
                       "each point needs the same columns");
    std::array<double, 3> values;
    for (size_t axis = 0; axis < 3; ++axis) {
      const std::string_view field = fields[columns_[axis]];
      const auto value = parse_number<double>(field);
      if (!value)
        throw line_error(path_, line,
                         "found " + quoted(field) + " in column " +
                             std::to_string(columns_[axis] + 1) + ", expected a number");
      values[axis] = *value;
    }
    points_.push_back({values[0], values[1], values[2]});
  }

  PointCloud finish(int64_t lines) {
    if (!started_) throw line_error(path_, lines, "no header and no points found in the file");
    PointCloud cloud;
    cloud.points = std::move(points_);
    return cloud;
  }

 private:
  void start(size_t column_count) { started_ = true, column_count_ = column_count; }

  /// Takes a row of names. A comment counts when it names x, y and z; other comments are passed.
  bool add_header(Fields names, int64_t line) {
    const bool comment = names[0].starts_with('#') || names[0].starts_with("//");
    if (comment) {
      names[0].remove_prefix(std::min(names[0].find_first_not_of("#/ "), names[0].size()));
      if (names[0].empty()) names.erase(names.begin());
    }
    // A field like "1,5" is no name either: it is refused as a number later on.
    const auto is_number = [](std::string_view field) {
      return parse_number<double>(field) ||
             (!field.empty() && std::string_view("+-.0123456789").find(field[0]) != field.npos);
    };
    if (!comment && std::ranges::any_of(names, is_number)) {
      if (names.size() < 3)
        throw line_error(path_, line,
                         "found " + std::to_string(names.size()) + " columns, expected x, y, z");
      return false;
    }
    std::array<size_t, 3> found{};
    for (size_t column = 0; column < names.size(); ++column)
      for (size_t axis = 0; axis < 3; ++axis)
        if (lower(names[column]) == std::string_view("xyz").substr(axis, 1)) {
          columns_[axis] = column;
          ++found[axis];
        }
    if (found == std::array<size_t, 3>{1, 1, 1}) {
      start(names.size());
      return true;
    }
    if (comment) {
      columns_ = {0, 1, 2};
      return false;
    }
    throw line_error(path_, line,
                     "found a header starting with " + quoted(names[0]) +
                         ", expected the columns x, y and z once each");
  }

  fs::path path_;
  bool started_ = false;
  size_t column_count_ = 0;
  std::array<size_t, 3> columns_{0, 1, 2};
  std::vector<Point> points_;
};

/// libcsv's callbacks, called from C: an exception waits in `failure` until csv_parse is back.
struct CsvRow {
  Table& table;
  int64_t line = 0;
  std::string text{};
  std::vector<size_t> ends{};
  std::exception_ptr failure{};

  static void on_field(void* field, size_t size, void* self) {
    auto& row = *static_cast<CsvRow*>(self);
    if (field) row.text.append(static_cast<const char*>(field), size);
    row.ends.push_back(row.text.size());
  }

  static void on_row(int, void* self) {
    auto& row = *static_cast<CsvRow*>(self);
    Fields fields;
    size_t start = 0;
    for (const size_t end : row.ends) {
      fields.push_back(std::string_view(row.text).substr(start, end - start));
      start = end;
    }
    try {
      if (!row.failure && !fields.empty()) row.table.add(fields, row.line);
    } catch (...) {
      row.failure = std::current_exception();
    }
    row.text.clear();
    row.ends.clear();
  }
};

int64_t read_separated(const fs::path& path, std::string_view text, char separator, Table& table) {
  csv_parser parser;
  // Without the strict flags an unterminated quote swallows the rest of the file in silence.
  if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0) throw std::bad_alloc();
  struct Freed {
    csv_parser* parser;
    ~Freed() { csv_free(parser); }
  } const freed{&parser};
  csv_set_delim(&parser, static_cast<unsigned char>(separator));

  CsvRow row{table};
  const auto check = [&](bool complete) {
    if (row.failure) std::rethrow_exception(row.failure);
    if (!complete)
      throw line_error(path, row.line, std::string("not CSV: ") + csv_strerror(csv_error(&parser)),
                       "check the quotes");
  };
  while (!text.empty()) {
    const size_t size = std::min(text.find('\n'), text.size() - 1) + 1;
    ++row.line;
    const size_t parsed =
        csv_parse(&parser, text.data(), size, CsvRow::on_field, CsvRow::on_row, &row);
    check(parsed == size);
    text.remove_prefix(size);
  }
  check(csv_fini(&parser, CsvRow::on_field, CsvRow::on_row, &row) == 0);
  return row.line;
}

int64_t read_blank_separated(std::string_view text, Table& table) {
  int64_t line_number = 0;
  Fields fields;
  while (!text.empty()) {
    std::string_view line = next_line(text);
    ++line_number;
    fields.clear();
    for (auto word = next_word(line); !word.empty(); word = next_word(line)) fields.push_back(word);
    if (!fields.empty()) table.add(fields, line_number);
  }
  return line_number;
}

/// Comma, semicolon or blank, by the first line that is not a comment.
char find_separator(std::string_view text) {
  while (!text.empty()) {
    std::string_view line = next_line(text);
    std::string_view rest = line;
    const std::string_view word = next_word(rest);
    if (word.empty()) continue;
    if (line.find(';') != line.npos) return ';';
    if (line.find(',') != line.npos) return ',';
    if (!word.starts_with('#') && !word.starts_with("//")) return ' ';
  }
  return ' ';
}

}  // namespace

PointCloud read_xyz(const fs::path& path, const ReadOptions&) {
  const std::string file = read_text(path);
  std::string_view text = file;
  if (text.starts_with("\xEF\xBB\xBF")) text.remove_prefix(3);
  Table table(path);
  const char separator = find_separator(text);
  const int64_t lines = separator == ' ' ? read_blank_separated(text, table)
                                         : read_separated(path, text, separator, table);
  return table.finish(lines);
}

}  // namespace spb::data
