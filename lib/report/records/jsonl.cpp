// SPDX-License-Identifier: Apache-2.0
#include "report/records/jsonl.h"

#include <cmath>
#include <cstdint>
#include <nlohmann/json.hpp>
#include <sstream>
#include <string>

#include "core/error.h"
#include "core/json_text.h"
#include "report/records/fields.h"
#include "report/records/open_input.h"

namespace spb::report {
namespace {

using Json = nlohmann::ordered_json;

void put(Json& object, const std::string& name, const Value& value) {
  if (const auto* number = std::get_if<double>(&value); number && !std::isfinite(*number)) return;
  std::visit(
      [&](const auto& held) {
        if constexpr (!std::is_same_v<decltype(held), const std::monostate&>) object[name] = held;
      },
      value);
}

std::string line(const Json& object) {
  // A path may hold any bytes; a replaced character is better than a lost record.
  return object.dump(-1, ' ', false, Json::error_handler_t::replace) + '\n';
}

std::string free_line(const char* type, const Record& record) {
  Json object{{"type", type}};
  for (const auto& [name, value] : record.values()) put(object, name, value);
  return line(object);
}

Value free_value(const Json& json) {
  if (json.is_string()) return json.get<std::string>();
  if (json.is_boolean()) return json.get<bool>();
  // Beyond 2^63 a number is a real one, as it is beyond 2^64: no column of whole numbers takes it.
  if (json.is_number_unsigned() && json.get<uint64_t>() > INT64_MAX) return json.get<double>();
  if (json.is_number_integer()) return json.get<int64_t>();
  if (json.is_number()) return json.get<double>();
  return {};
}

Record free_record(const Json& object) {
  Record record;
  for (const auto& [name, json] : object.items())
    if (name != "type") record.named(name) = free_value(json);
  return record;
}

/// The value as one of the column, read from `where`.
Value value_of(const Field& field, Value value, const std::string& where) {
  // Other writers may print a whole real without a point.
  if (const auto* whole = std::get_if<int64_t>(&value); whole && field.type == FieldType::real)
    value = static_cast<double>(*whole);
  Record one;
  one.named(field.name) = value;
  try {
    check(one);
  } catch (const std::logic_error& error) {
    throw input_error(where, error.what());
  }
  return value;
}

/// Rows of some bytes repeat what their context says: it must not say megabytes.
void check_size(const Record& context, const std::string& where) {
  constexpr size_t kMostBytes = 16384;
  size_t bytes = 0;
  for (const Field& field : fields()) bytes += context.text_of(field.name).size();
  if (bytes > kMostBytes)
    throw input_error(where, "its columns hold " + std::to_string(bytes) + " bytes of text",
                      "that of a run holds " + std::to_string(kMostBytes) + " at most");
}

/// Whether rows may leave out what this context says. run_id stays in them to be checked.
bool speaks_for(const Record& context, const std::string& run_id) {
  return !context.text(columns::schema_version).empty() && !run_id.empty() &&
         context.text(columns::run_id) == run_id;
}

Record result_record(const Json& object, const std::string& where, const Record& context) {
  const auto text = [&](const Column<Text>& column) {
    const auto found = object.find(column.name);
    return found != object.end() && found->is_string() ? found->get<std::string>() : "";
  };
  const bool is_whole = object.contains(columns::schema_version.name);
  const std::string run_id = text(columns::run_id);
  if (!is_whole && !speaks_for(context, run_id))
    throw input_error(where, "the context line of its run \"" + run_id + "\" is not above it",
                      "put it there: it says schema_version and more");
  // First, for a newer schema may have changed the type of a column.
  check_schema_version(
      is_whole ? text(columns::schema_version) : context.text(columns::schema_version), where);
  Record record;
  for (const Field& field : fields()) {
    const auto found = object.find(field.name);
    Value value;
    if (found != object.end()) value = free_value(*found);
    if (found == object.end() && !is_whole) value = context.value(field);
    if (value != Value()) record.named(field.name) = value_of(field, std::move(value), where);
  }
  return record;
}

}  // namespace

std::string result_line(const Record& result, const Record& context) {
  check(result);
  Json object{{"type", "result"}};
  const bool is_short = speaks_for(context, result.text(columns::run_id)) &&
                        result.get(columns::schema_version) == context.get(columns::schema_version);
  for (const Field& field : fields()) {
    const Value& value = result.value(field);
    const bool is_said = is_short && context.value(field) != Value();
    if (is_said && value == context.value(field) && field.name != columns::run_id.name) continue;
    put(object, field.name, value);
    if (is_said && !object.contains(field.name)) object[field.name] = nullptr;
  }
  return line(object);
}

Record parse_result(const std::string& text, const std::string& where, const Record& context) {
  const Json object = parse_json<Json>(text, where);
  if (!object.is_object()) throw input_error(where, "is no JSON object");
  return result_record(object, where, context);
}

JsonlWriter::JsonlWriter(const std::filesystem::path& path, const Record& context)
    : file_(path), context_(context) {
  file_.write(free_line("context", context));
}

void JsonlWriter::append(const Record& result) { file_.write(result_line(result, context_)); }

void JsonlWriter::append(const char* type, const Record& line) {
  file_.write(free_line(type, line));
}

void JsonlWriter::end_case(const std::string& name) {
  Record record;
  record.named("case") = name;
  file_.write(free_line("case_end", record));
}

void JsonlWriter::finish(const Record& summary) { file_.write(free_line("summary", summary)); }

bool visit_jsonl(const std::filesystem::path& path, const std::function<void(JsonlLine&)>& visit) {
  const std::unique_ptr<std::istream> file = open_input(path);
  JsonlLine line;
  Record context;  // the last one until now
  size_t number = 0;
  for (std::string text; std::getline(*file, text);) {
    line.where = path.string() + ":" + std::to_string(++number);
    line.begin = line.end;
    line.end += text.size() + (file->eof() ? 0 : 1);
    const Json object = parse_json<Json>(text, line.where);
    if (object.is_discarded() && file->eof()) return false;
    if (!object.is_object()) throw input_error(line.where, "is no JSON object");
    const auto named = object.find("type");
    line.type = named != object.end() && named->is_string() ? named->get<std::string>() : "";
    line.record =
        line.type == "result" ? result_record(object, line.where, context) : free_record(object);
    if (line.type == "context") {
      check_size(line.record, line.where);
      context = line.record;
    }
    visit(line);
  }
  return true;
}

JsonlFile read_jsonl(const std::filesystem::path& path) {
  JsonlFile file;
  file.truncated = !visit_jsonl(path, [&](JsonlLine& line) {
    if (line.type == "context") {
      RunRecords& run = file.runs.emplace_back();
      run.context = std::move(line.record);
      run.open_begin = run.open_end = line.end;
      return;
    }
    if (file.runs.empty()) throw input_error(line.where, "comes before any context line");
    RunRecords& run = file.runs.back();
    run.open_end = line.end;
    if (line.type == "result") run.results.push_back(std::move(line.record));
    if (line.type == "case_end") run.ended_cases.push_back(line.record.text_of("case"));
    if (line.type == "summary") run.summary = std::move(line.record);
    // An anchor stands between cases.
    if (line.type == "anchor" || line.type == "case_end" || line.type == "summary") {
      run.ended_results = run.results.size();
      run.open_begin = line.end;
    }
  });
  return file;
}

}  // namespace spb::report
