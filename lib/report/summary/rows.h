// SPDX-License-Identifier: Apache-2.0
// The order of rows in everything that `report` writes.
#pragma once

#include <cmath>
#include <span>

#include "core/record.h"

namespace spb::report {

/// By the key columns in file order, then device, run and time of writing. Text sorts with its
/// numbers by value (sphere:8 before sphere:16); directions, dtypes, phases and caches in the order
/// of use (fprop dgrad wgrad; f32 3xtf32 tf32 f16 bf16 i8_i32 i8_f32 i8; map_build plan kernel
/// end_to_end; cold hot). What is not measured comes first. Rows that are equal in all of these
/// keep their order.
void sort_rows(std::span<Record> rows);

/// Negative, zero or positive as `left` sorts before, with or behind `right` in that column.
int compare_column(ColumnName column, const Value& left, const Value& right);

/// The number in a column, whole or real; NaN when there is none.
template <typename Type>
double number_of(const Record& record, const Column<Type>& column) {
  return record.number(column).value_or(NAN);
}

}  // namespace spb::report
