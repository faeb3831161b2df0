// SPDX-License-Identifier: Apache-2.0
// The columns of every record: one table that all writers, readers and `list columns` walk.
#pragma once

#include <span>
#include <string>
#include <string_view>

#include "core/columns.h"
#include "core/record.h"

namespace spb::report {

/// `major.minor` of the columns: adding one raises minor; renaming, removing or changing the
/// meaning of one raises major.
inline constexpr const char* kSchemaVersion = "1.9";

enum class FieldType { text, enumeration, integer, real, boolean };
const char* name(FieldType type);

struct Field : ColumnName {
  FieldType type;
  const char* unit;  ///< "" when there is none
  bool key;          ///< rows of two files match when all key fields are equal
  bool rate;         ///< goes with 1 / time_median_us
  bool varies;       ///< each run of the same cases has its own: times, conditions, who ran when
  const char* text;  ///< what the value means
};

/// All columns in file order.
std::span<const Field> fields();

/// The column called `name`, or null.
const Field* find_field(std::string_view name);

/// Throws std::logic_error when `record` has a name that is no column or a value of another type
/// than its column: both are mistakes of the program, never of the user.
void check(const Record& record);

/// The value as CSV and tables of keys write it: empty when not measured or not finite, booleans
/// 0 and 1, reals with 9 significant digits.
std::string to_text(const Value& value);

/// The value of a column from its text; empty text is "not measured".
/// Throws Error (runtime) naming `where` when the text is no value of that column.
Value parse_value(const Field& field, const std::string& text, std::string_view where);

/// Throws Error (usage) when `version` has a newer major than kSchemaVersion or is no version.
void check_schema_version(const std::string& version, std::string_view where);

}  // namespace spb::report
