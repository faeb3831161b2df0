// SPDX-License-Identifier: Apache-2.0
#include "report/records/fields.h"

#include <charconv>
#include <cmath>
#include <fmt/format.h>
#include <stdexcept>

#include "core/error.h"

namespace spb::report {
namespace {

using enum FieldType;
enum class Role { key, rate, varies, info };
constexpr bool varies(Role role) { return role == Role::rate || role == Role::varies; }

/// The type of values in columns of a type of core/columns.h.
constexpr FieldType field_type(Text) { return text; }
constexpr FieldType field_type(Integer) { return integer; }
constexpr FieldType field_type(Real) { return real; }
constexpr FieldType field_type(Boolean) { return boolean; }
template <typename Enumerated>
constexpr FieldType field_type(Enumerated) {
  return enumeration;
}

// NOLINTBEGIN(bugprone-macro-parentheses): around a type there can be none
constexpr Field kFields[] = {
#define SPB_COLUMN(type, name, unit, role, meaning) \
  {{#name},                                         \
   field_type(type{}),                              \
   unit,                                            \
   Role::role == Role::key,                         \
   Role::role == Role::rate,                        \
   varies(Role::role),                              \
   meaning},
#include "core/columns.inc"
#undef SPB_COLUMN
};
// NOLINTEND(bugprone-macro-parentheses)

bool has_type(const Value& value, FieldType type) {
  if (std::holds_alternative<std::monostate>(value)) return true;
  switch (type) {
    case text:
    case enumeration:
      return std::holds_alternative<std::string>(value);
    case integer:
      return std::holds_alternative<int64_t>(value);
    case real:
      return std::holds_alternative<double>(value);
    case boolean:
      return std::holds_alternative<bool>(value);
  }
  return false;
}

template <typename Number>
Value parse_number(const Field& field, const std::string& text, std::string_view where) {
  Number number{};
  const char* end = text.data() + text.size();
  const auto [stop, error] = std::from_chars(text.data(), end, number);
  if (error != std::errc() || stop != end || !std::isfinite(static_cast<double>(number)))
    throw input_error(where,
                      fmt::format("{} is \"{}\", expected {}", field.name, text, name(field.type)));
  return number;
}

}  // namespace

const char* name(FieldType type) {
  constexpr const char* kNames[] = {"text", "enumeration", "integer", "real", "boolean"};
  return kNames[static_cast<int>(type)];
}

std::span<const Field> fields() { return kFields; }

const Field* find_field(std::string_view name) {
  for (const Field& field : kFields)
    if (name == field.name) return &field;
  return nullptr;
}

void check(const Record& record) {
  for (const auto& [column, value] : record.values()) {
    const Field* field = find_field(column);
    if (!field) throw std::logic_error("\"" + column + "\" is no column of report/fields.cpp");
    if (!has_type(value, field->type))
      throw std::logic_error("column " + column + " must be " + name(field->type));
  }
}

std::string to_text(const Value& value) {
  if (const auto* words = std::get_if<std::string>(&value)) return *words;
  if (const auto* whole = std::get_if<int64_t>(&value)) return fmt::format("{}", *whole);
  if (const auto* flag = std::get_if<bool>(&value)) return *flag ? "1" : "0";
  if (const auto* number = std::get_if<double>(&value); number && std::isfinite(*number))
    return fmt::format("{:.9g}", *number);
  return {};
}

Value parse_value(const Field& field, const std::string& text, std::string_view where) {
  if (text.empty()) return {};
  switch (field.type) {
    case integer:
      return parse_number<int64_t>(field, text, where);
    case real:
      return parse_number<double>(field, text, where);
    case boolean:
      if (text == "0" || text == "1") return text == "1";
      throw input_error(where, fmt::format("{} is \"{}\", expected 0 or 1", field.name, text));
    default:
      return text;
  }
}

void check_schema_version(const std::string& version, std::string_view where) {
  const auto major = [&](std::string_view words) {
    int number = -1;
    const auto result = std::from_chars(words.data(), words.data() + words.size(), number);
    const bool dotted = result.ptr != words.data() + words.size() && *result.ptr == '.';
    if (result.ec != std::errc() || !dotted)
      throw usage_error(where, fmt::format("schema_version \"{}\" is no major.minor", words));
    return number;
  };
  if (major(version) > major(kSchemaVersion))
    throw usage_error(
        where,
        fmt::format("written with schema {}, this program reads up to {}", version, kSchemaVersion),
        "use a newer spconv-bench");
}

}  // namespace spb::report
