#include "report/csv.h"

#include <csv.h>
#include <string>

#include "core/error.h"
#include "report/fields.h"

namespace spb::report {
namespace {

/// Blanks at the ends are quoted too: readers such as libcsv trim them otherwise.
std::string quoted(std::string text) {
  for (char& c : text)
    if (c == '\n' || c == '\r') c = ' ';
  const bool plain = text.find_first_of("\",") == std::string::npos &&
                     (text.empty() || (text.front() != ' ' && text.back() != ' '));
  if (plain) return text;
  std::string result = "\"";
  for (const char c : text) result.append(c == '"' ? 2 : 1, c);
  return result + '"';
}

/// Collects the cells that libcsv hands out one by one.
struct Cells {
  std::vector<std::vector<std::string>> rows{1};
};

void on_cell(void* text, size_t size, void* cells) {
  static_cast<Cells*>(cells)->rows.back().emplace_back(static_cast<const char*>(text), size);
}

void on_row(int, void* cells) { static_cast<Cells*>(cells)->rows.emplace_back(); }

std::vector<std::vector<std::string>> parse(const std::string& text, const std::string& where) {
  csv_parser parser;
  if (csv_init(&parser, CSV_STRICT | CSV_STRICT_FINI) != 0) throw std::bad_alloc();
  Cells cells;
  const bool parsed =
      csv_parse(&parser, text.data(), text.size(), on_cell, on_row, &cells) == text.size() &&
      csv_fini(&parser, on_cell, on_row, &cells) == 0;
  const std::string reason = csv_strerror(csv_error(&parser));
  csv_free(&parser);
  if (!parsed) throw input_error(where + ":" + std::to_string(cells.rows.size()), reason);
  cells.rows.pop_back();  // on_row opened one more than there are
  return cells.rows;
}

}  // namespace

std::string csv_header() {
  std::string line;
  for (const Field& field : fields()) line.append(line.empty() ? "" : ",").append(field.name);
  return line + '\n';
}

std::string csv_row(const Record& record) {
  std::string line;
  for (const Field& field : fields()) {
    if (&field != fields().data()) line += ',';
    line += quoted(to_text(record.get(field.name)));
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

std::vector<Record> read_csv(const std::filesystem::path& path) {
  const auto rows = parse(read_text(path), path.string());
  if (rows.empty()) throw input_error(path.string(), "has no header line");
  const std::vector<std::string>& header = rows.front();
  std::vector<Record> records;
  for (size_t row = 1; row < rows.size(); ++row) {
    const std::string where = path.string() + ":" + std::to_string(row + 1);
    if (rows[row].size() != header.size())
      throw input_error(where, "has " + std::to_string(rows[row].size()) + " fields, expected " +
                                   std::to_string(header.size()));
    Record record;
    for (size_t column = 0; column < header.size(); ++column) {
      const Field* field = find_field(header[column]);
      if (!field) continue;
      Value value = parse_value(*field, rows[row][column], where);
      if (!std::holds_alternative<std::monostate>(value)) record[field->name] = std::move(value);
    }
    check_schema_version(record.text("schema_version"), where);
    records.push_back(std::move(record));
  }
  return records;
}

}  // namespace spb::report
