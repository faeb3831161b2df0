#include "report/summary/rows.h"

#include <algorithm>
#include <cmath>
#include <cstring>
#include <iterator>

#include "report/records/fields.h"

namespace spb::report {
namespace {

struct EnumerationOrder {
  std::string_view column;
  std::string_view values[5];
};
constexpr EnumerationOrder kOrders[] = {
    {"direction", {"fprop", "dgrad", "wgrad"}},
    {"dtype", {"f32", "3xtf32", "tf32", "f16", "bf16"}},
    {"arithmetic_class", {"f32", "3xtf32", "tf32", "f16", "bf16"}},
    {"phase", {"map_build", "plan", "kernel", "end_to_end", "step"}},
    {"cache", {"cold", "hot"}},
};

/// The place of `text` among the known values of the column; unknown values share the last.
ptrdiff_t place(std::string_view column, std::string_view text) {
  for (const EnumerationOrder& order : kOrders)
    if (order.column == column)
      return std::ranges::find(order.values, text) - std::begin(order.values);
  return 0;
}

constexpr const char* kLastColumns[] = {"gpu_name", "gpu_uuid", "run_id", "timestamp_utc"};

bool row_less(const Record& left, const Record& right) {
  const auto compare = [&](const char* column) {
    return compare_column(column, left.get(column), right.get(column));
  };
  for (const Field& field : fields())
    if (field.key)
      if (const int order = compare(field.name)) return order < 0;
  for (const char* column : kLastColumns)
    if (const int order = compare(column)) return order < 0;
  return false;
}

}  // namespace

int compare_column(std::string_view column, const Value& left, const Value& right) {
  if (left.index() != right.index()) return left.index() < right.index() ? -1 : 1;
  const auto* text = std::get_if<std::string>(&left);
  if (!text) return left < right ? -1 : right < left;
  const auto& other = std::get<std::string>(right);
  const ptrdiff_t difference = place(column, *text) - place(column, other);
  if (difference != 0) return difference < 0 ? -1 : 1;
  return strverscmp(text->c_str(), other.c_str());
}

void sort_rows(std::span<Record> rows) { std::ranges::stable_sort(rows, row_less); }

double number_of(const Record& record, const char* column) {
  return record.number(column).value_or(NAN);
}

}  // namespace spb::report
