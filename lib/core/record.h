// SPDX-License-Identifier: Apache-2.0
// One row of output: named values. The names, types and units stand in core/columns.inc.
#pragma once

#include <concepts>
#include <cstdint>
#include <map>
#include <optional>
#include <string>
#include <type_traits>
#include <utility>
#include <variant>

#include "core/columns.h"

namespace spb {

/// Nothing means "not measured" and is written as an empty field.
using Value = std::variant<std::monostate, std::string, int64_t, double, bool>;

/// Whether a column takes it: no rounding, no number as a flag.
template <typename Given, typename Held>
concept Fits = std::same_as<Given, Held> ||
               (std::same_as<Held, std::string>&& std::constructible_from<std::string, Given>) ||
               (std::same_as<Held, int64_t> && std::integral<Given> &&
                !std::same_as<Given, bool>) ||
               (std::same_as<Held, double> && std::floating_point<Given>);

/// The place of one column's value in a record: takes what the column holds, or nothing.
template <typename Type>
class Slot {
 public:
  using Held = typename ColumnType<Type>::Held;
  explicit Slot(Value& value) : value_(value) {}
  Slot(const Slot&) = delete;
  Slot& operator=(const Slot&) = delete;

  template <typename Given>
  requires Fits<std::remove_cvref_t<Given>, Held>
  void operator=(Given&& given) {
    value_ = ColumnType<Type>::store(static_cast<Held>(std::forward<Given>(given)));
  }
  template <typename Given>
  requires std::same_as<Given, Held>
  void operator=(const std::optional<Given>& given) {
    value_ = given ? Value(ColumnType<Type>::store(*given)) : Value();
  }
  void operator=(std::nullopt_t) { value_ = Value(); }

 private:
  Value& value_;
};

class Record {
 public:
  template <typename Type>
  Slot<Type> operator[](const Column<Type>& column) {
    return Slot<Type>(values_[column.name]);
  }
  /// What stands in the column, or nothing: not measured, or a status this version does not know.
  template <typename Type>
  std::optional<typename ColumnType<Type>::Held> get(const Column<Type>& column) const {
    const auto* stored = std::get_if<typename ColumnType<Type>::Stored>(&value(column.name));
    if (!stored) return std::nullopt;
    return ColumnType<Type>::held(*stored);
  }
  /// The text in the column, or empty when there is none.
  template <typename Type>
  requires std::same_as<typename ColumnType<Type>::Stored, std::string> std::string text(
      const Column<Type>& column)
  const { return text_of(column.name); }
  /// The number in the column, or nothing when there is none.
  template <typename Type>
  requires std::same_as<Type, Real> || std::same_as<Type, Integer> std::optional<double> number(
      const Column<Type>& column)
  const { return number_of(column.name); }

  /// By name, for what walks the table of columns and for names that are no columns, as those of
  /// a context line.
  const Value& value(const std::string& name) const {
    static const Value kNothing;
    const auto found = values_.find(name);
    return found == values_.end() ? kNothing : found->second;
  }
  const Value& value(ColumnName column) const { return value(std::string(column.name)); }
  Value& named(const std::string& name) { return values_[name]; }
  std::string text_of(const std::string& name) const {
    const auto* text = std::get_if<std::string>(&value(name));
    return text ? *text : std::string();
  }
  std::optional<double> number_of(const std::string& name) const {
    const Value& held = value(name);
    if (const auto* real = std::get_if<double>(&held)) return *real;
    if (const auto* whole = std::get_if<int64_t>(&held)) return static_cast<double>(*whole);
    return std::nullopt;
  }
  const std::map<std::string, Value>& values() const { return values_; }

 private:
  std::map<std::string, Value> values_;
};

}  // namespace spb
