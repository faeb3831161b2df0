// SPDX-License-Identifier: Apache-2.0
#include "report/summary/rows.h"

#include <algorithm>
#include <cstring>
#include <iterator>

#include "report/records/fields.h"

namespace spb::report {
namespace {

struct EnumerationOrder {
  ColumnName column;
  std::string_view values[11];
};
constexpr EnumerationOrder kOrders[] = {
    {columns::direction, {"fprop", "dgrad", "wgrad"}},
    {columns::dtype,
     {"f32", "3xtf32", "tf32", "f16", "bf16", "e4m3_f16", "e4m3_bf16", "e4m3", "i8_i32", "i8_f32",
      "i8"}},
    {columns::arithmetic_class,
     {"f32", "3xtf32", "tf32", "f16", "bf16", "e4m3_f16", "e4m3_bf16", "e4m3", "i8_i32", "i8_f32",
      "i8"}},
    {columns::phase,
     {name(Phase::map_build), name(Phase::plan), name(Phase::kernel), name(Phase::end_to_end),
      name(Phase::step)}},
    {columns::cache, {name(CacheState::cold), name(CacheState::hot)}},
};

/// The place of `text` among the known values of the column; unknown values share the last.
ptrdiff_t place(ColumnName column, std::string_view text) {
  for (const EnumerationOrder& order : kOrders)
    if (order.column == column)
      return std::ranges::find(order.values, text) - std::begin(order.values);
  return 0;
}

constexpr ColumnName kLastColumns[] = {columns::gpu_name, columns::gpu_uuid, columns::run_id,
                                       columns::timestamp_utc};

bool row_less(const Record& left, const Record& right) {
  const auto compare = [&](ColumnName column) {
    return compare_column(column, left.value(column), right.value(column));
  };
  for (const Field& field : fields())
    if (field.key)
      if (const int order = compare(field)) return order < 0;
  for (const ColumnName column : kLastColumns)
    if (const int order = compare(column)) return order < 0;
  return false;
}

}  // namespace

int compare_column(ColumnName column, const Value& left, const Value& right) {
  if (left.index() != right.index()) return left.index() < right.index() ? -1 : 1;
  const auto* text = std::get_if<std::string>(&left);
  if (!text) return left < right ? -1 : right < left;
  const auto& other = std::get<std::string>(right);
  const ptrdiff_t difference = place(column, *text) - place(column, other);
  if (difference != 0) return difference < 0 ? -1 : 1;
  return strverscmp(text->c_str(), other.c_str());
}

void sort_rows(std::span<Record> rows) { std::ranges::stable_sort(rows, row_less); }

}  // namespace spb::report
