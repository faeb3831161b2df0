// SPDX-License-Identifier: Apache-2.0
#include "report/records/csv.h"

#include <algorithm>
#include <charconv>
#include <csv.h>
#include <string>
#include <string_view>

#include "core/error.h"
#include "report/records/fields.h"
#include "report/records/open_input.h"

namespace spb::report {
namespace {

// What spreadsheets take for the sign of a text.
constexpr char kMark = '\'';

/// A negative one is no formula.
bool is_number(std::string_view text) {
  if (text.size() < 2 || (text[1] != '.' && (text[1] < '0' || text[1] > '9'))) return false;
  double number = 0;
  return std::from_chars(text.data(), text.data() + text.size(), number).ptr ==
         text.data() + text.size();
}

/// Whether a spreadsheet may run the text: by its first sign, also behind blanks.
bool is_formula(std::string_view text) {
  const size_t first = text.find_first_not_of(" \t");
  if (first == std::string_view::npos || is_number(text)) return false;
  return text.substr(0, first).find('\t') != std::string_view::npos ||
         std::string_view("=+-@").find(text[first]) != std::string_view::npos;
}

/// A mark in front of one is another one, so that each text reads back as it was.
bool runs_behind_marks(std::string_view text) {
  return is_formula(text.substr(std::min(text.find_first_not_of(kMark), text.size())));
}

/// Collects the cells that libcsv hands out one by one.
struct Cells {
  std::vector<std::vector<std::string>> rows{1};  // the last one is still growing
};

void on_cell(void* text, size_t size, void* cells) {
  std::string_view cell(static_cast<const char*>(text), size);
  if (cell.starts_with(kMark) && runs_behind_marks(cell)) cell.remove_prefix(1);
  static_cast<Cells*>(cells)->rows.back().emplace_back(cell);
}

void on_row(int, void* cells) { static_cast<Cells*>(cells)->rows.emplace_back(); }

/// The state of libcsv, and what it has found and nobody has taken.
class Parser {
 public:
  explicit Parser(std::string path) : path_(std::move(path)) {
    if (csv_init(&parser_, CSV_STRICT | CSV_STRICT_FINI) != 0) throw std::bad_alloc();
  }
  ~Parser() { csv_free(&parser_); }
  Parser(const Parser&) = delete;  // libcsv keeps its address
  Parser& operator=(const Parser&) = delete;

  void feed(std::string_view text) {
    if (csv_parse(&parser_, text.data(), text.size(), on_cell, on_row, &cells_) != text.size())
      throw broken();
  }
  /// Nothing follows what was fed.
  void finish() {
    if (csv_fini(&parser_, on_cell, on_row, &cells_) != 0) throw broken();
  }
  /// Hands out the rows that are complete.
  void take(const CsvVisitor& visit) {
    for (size_t row = 0; row + 1 < cells_.rows.size(); ++row) {
      std::vector<std::string>& cells = cells_.rows[row];
      if (taken_ + row == 0) {
        header_ = std::move(cells);
        for (auto name = header_.begin(); name != header_.end(); ++name)
          if (std::find(header_.begin(), name, *name) != name)
            throw input_error(where(row), "names the column " + *name + " twice");
        continue;
      }
      if (cells.size() != header_.size())
        throw input_error(where(row), "has " + std::to_string(cells.size()) + " fields, expected " +
                                          std::to_string(header_.size()));
      visit(header_, cells, where(row));
    }
    taken_ += cells_.rows.size() - 1;
    cells_.rows.erase(cells_.rows.begin(), cells_.rows.end() - 1);
  }
  bool has_header() const { return taken_ > 0; }

 private:
  Error broken() {
    return input_error(where(cells_.rows.size() - 1), csv_strerror(csv_error(&parser_)));
  }
  std::string where(size_t row) const { return path_ + ":" + std::to_string(taken_ + row + 1); }

  std::string path_;
  csv_parser parser_;
  Cells cells_;
  std::vector<std::string> header_;
  size_t taken_ = 0;  // rows that left cells_
};

}  // namespace

std::string csv_cell(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  if (runs_behind_marks(text)) text.insert(text.begin(), kMark);
  if (text.empty()) return text;
  // Blanks around a cell that is not quoted are lost.
  const bool plain = text.find_first_of("\",") == std::string::npos &&
                     text.find_first_not_of(" \t") == 0 &&
                     text.find_last_not_of(" \t") + 1 == text.size();
  if (plain) return text;
  std::string result = "\"";
  for (const char c : text) result.append(c == '"' ? 2 : 1, c);
  return result + '"';
}

std::string csv_header() {
  std::string line;
  for (const Field& field : fields()) line.append(line.empty() ? "" : ",").append(field.name);
  return line + '\n';
}

std::string csv_row(const Record& record) {
  std::string line;
  for (const Field& field : fields()) {
    if (&field != fields().data()) line += ',';
    line += csv_cell(to_text(record.value(field)));
  }
  return line + '\n';
}

CsvWriter::CsvWriter(const std::filesystem::path& path) : file_(path) {
  if (file_.was_empty()) {
    file_.write(csv_header());
  } else if (!read_text(path).starts_with(csv_header())) {
    throw input_error(path.string(), "holds other columns than this version writes",
                      "choose another output");
  }
}

void CsvWriter::append(const Record& record) {
  check(record);
  file_.write(csv_row(record));
}

void write_csv(const std::filesystem::path& path, std::span<const Record> records) {
  std::string text = csv_header();
  for (const Record& record : records) {
    check(record);
    text += csv_row(record);
  }
  replace_text(path, text);
}

bool visit_csv(const std::filesystem::path& path, const CsvVisitor& visit) {
  const std::unique_ptr<std::istream> file = open_input(path);
  Parser parser(path.string());
  std::string piece(1 << 16, '\0');
  char last = '\n';
  while (file->read(piece.data(), static_cast<std::streamsize>(piece.size())), file->gcount() > 0) {
    const std::string_view text(piece.data(), static_cast<size_t>(file->gcount()));
    last = text.back();
    parser.feed(text);
    parser.take(visit);
  }
  if (!parser.has_header()) throw input_error(path.string(), "has no header line");
  // Values hold no line ends, so that a row without one at its end was cut off.
  if (last == '\n') parser.finish();
  return last == '\n';
}

Record record_of_cells(const std::vector<std::string>& header,
                       const std::vector<std::string>& cells, const std::string& where) {
  const auto version = std::ranges::find(header, columns::schema_version.name);
  check_schema_version(
      version == header.end() ? "" : cells[static_cast<size_t>(version - header.begin())], where);
  Record record;
  for (size_t column = 0; column < header.size(); ++column) {
    const Field* field = find_field(header[column]);
    if (!field) continue;
    Value value = parse_value(*field, cells[column], where);
    if (!std::holds_alternative<std::monostate>(value))
      record.named(field->name) = std::move(value);
  }
  return record;
}

std::vector<Record> read_csv(const std::filesystem::path& path) {
  std::vector<Record> records;
  visit_csv(path, [&](const auto& header, const auto& cells, const std::string& where) {
    records.push_back(record_of_cells(header, cells, where));
  });
  return records;
}

}  // namespace spb::report
