// SPDX-License-Identifier: Apache-2.0
#include "maps/table/build_error.h"

#include <algorithm>
#include <limits>
#include <string>

#include "core/problem.h"

namespace spb::maps {
namespace {

std::string text(const Coord& coord) {
  return "(batch " + std::to_string(coord.batch) + ", x " + std::to_string(coord.x) + ", y " +
         std::to_string(coord.y) + ", z " + std::to_string(coord.z) + ")";
}

}  // namespace

Error out_of_range_error(int64_t row, const Coord& coord, const Box& box) {
  return input_error("coords",
                     "row " + std::to_string(row) + " " + text(coord) +
                         " lies outside the box of " + std::to_string(box.batch_size) +
                         " batches of " + to_text(box.shape),
                     "enlarge the box or drop the row");
}

Error repeated_coords_error(int64_t repeats, int64_t row, std::span<const Coord> rows) {
  const Coord& coord = rows[static_cast<size_t>(row)];
  const auto earlier = std::ranges::find(rows, coord) - rows.begin();
  return input_error("coords",
                     std::to_string(repeats) + " rows repeat an earlier one, first row " +
                         std::to_string(row) + " " + text(coord) + ", which repeats row " +
                         std::to_string(earlier),
                     "merge repeated rows when loading");
}

Error table_full_error(int64_t capacity) {
  return input_error("hash table",
                     "all " + std::to_string(capacity) + " slots are taken and keys are left",
                     "use a larger capacity");
}

void check_row_count(const char* what, int64_t rows) {
  if (rows > std::numeric_limits<int32_t>::max())
    throw input_error(what,
                      std::to_string(rows) + " rows exceed 2^31 - 1, the most row indices hold",
                      "split the batch");
}

}  // namespace spb::maps
