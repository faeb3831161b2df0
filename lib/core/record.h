// One row of output: named values. The names, types and units stand in report/fields.cpp.
#pragma once

#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <variant>

namespace spb {

/// Nothing means "not measured" and is written as an empty field.
using Value = std::variant<std::monostate, std::string, int64_t, double, bool>;

class Record {
 public:
  Value& operator[](const std::string& name) { return values_[name]; }
  const Value& get(const std::string& name) const {
    static const Value kNothing;
    const auto found = values_.find(name);
    return found == values_.end() ? kNothing : found->second;
  }
  /// The text at `name`, or empty when there is none.
  std::string text(const std::string& name) const {
    const auto* value = std::get_if<std::string>(&get(name));
    return value ? *value : std::string();
  }
  /// The number at `name`, or nothing when there is none.
  std::optional<double> number(const std::string& name) const {
    const Value& value = get(name);
    if (const auto* real = std::get_if<double>(&value)) return *real;
    if (const auto* whole = std::get_if<int64_t>(&value)) return static_cast<double>(*whole);
    return std::nullopt;
  }
  /// The whole number at `name`, or nothing when there is none.
  std::optional<int64_t> whole(const std::string& name) const {
    const auto* value = std::get_if<int64_t>(&get(name));
    return value ? std::optional(*value) : std::nullopt;
  }
  const std::map<std::string, Value>& values() const { return values_; }

 private:
  std::map<std::string, Value> values_;
};

}  // namespace spb
