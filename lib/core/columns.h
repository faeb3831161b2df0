// SPDX-License-Identifier: Apache-2.0
// Typed handles of the columns of records: record[columns::c_in] = ... takes a whole number alone,
// and a misspelled column does not compile.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>

#include "core/status.h"

namespace spb {

/// What a column is called, whatever it holds: for lists of columns.
struct ColumnName {
  const char* name;
};
constexpr bool operator==(ColumnName left, ColumnName right) {
  return std::string_view(left.name) == right.name;
}

/// A column of values of `Type`, one of the types below.
template <typename Type>
struct Column : ColumnName {};

/// Types of columns: what the program handles (Held) and what stands in a record (Stored).
struct Text {};
struct Enumeration {};  ///< a text of a known few
struct Integer {};
struct Real {};
struct Boolean {};

template <typename Type>
struct ColumnType;
template <typename Same>
struct PlainColumn {
  using Held = Same;
  using Stored = Same;
  static const Stored& store(const Held& value) {
    return value;  // NOLINT(bugprone-return-const-ref-from-parameter): of a record
  }
  static std::optional<Held> held(const Stored& value) { return value; }
};
template <>
struct ColumnType<Text> : PlainColumn<std::string> {};
template <>
struct ColumnType<Enumeration> : PlainColumn<std::string> {};
template <>
struct ColumnType<Integer> : PlainColumn<int64_t> {};
template <>
struct ColumnType<Real> : PlainColumn<double> {};
template <>
struct ColumnType<Boolean> : PlainColumn<bool> {};
/// One of an enumeration whose values have names; a text that is none of them is not held.
template <typename Enum, std::optional<Enum> parse(std::string_view)>
struct NamedColumn {
  using Held = Enum;
  using Stored = std::string;
  static Stored store(Enum value) { return name(value); }
  static std::optional<Enum> held(const Stored& text) { return parse(text); }
};
template <>
struct ColumnType<Status> : NamedColumn<Status, parse_status> {};
template <>
struct ColumnType<Phase> : NamedColumn<Phase, parse_phase> {};
template <>
struct ColumnType<CacheState> : NamedColumn<CacheState, parse_cache> {};
template <>
struct ColumnType<VerifyStatus> : NamedColumn<VerifyStatus, parse_verify_status> {};

namespace columns {

#define SPB_COLUMN(type, name, unit, role, meaning) inline constexpr Column<type> name{#name};
#include "core/columns.inc"
#undef SPB_COLUMN

}  // namespace columns
}  // namespace spb
