// SPDX-License-Identifier: Apache-2.0
#include "maps/table/insert_status.h"

#include <algorithm>
#include <numeric>
#include <vector>

#include "maps/download.h"
#include "maps/table/build_error.h"

namespace spb::maps {
namespace {

/// Counts on the host: only a set that is refused pays for it.
Error repeated_coords(const std::vector<Coord>& coords) {
  std::vector<int64_t> order(coords.size());
  std::iota(order.begin(), order.end(), 0);
  const auto coord = [&](int64_t row) -> const Coord& { return coords[static_cast<size_t>(row)]; };
  std::ranges::stable_sort(order, {}, coord);
  int64_t repeats = 0, first = static_cast<int64_t>(coords.size());
  for (size_t i = 1; i < order.size(); ++i)
    if (coord(order[i]) == coord(order[i - 1])) {
      ++repeats;
      first = std::min(first, order[i]);
    }
  return repeated_coords_error(repeats, first, coords);
}

}  // namespace

void check(const InsertStatus& status, const RowCoords& coords, int64_t capacity,
           const gpu::Stream& stream) {
  if (const uint32_t row = status.out_of_range_row; row != InsertStatus::kNone) {
    Coord coord;
    gpu::copy_to_host(&coord, coords.rows + row, sizeof(Coord), stream);
    throw out_of_range_error(row, coord, coords.box);
  }
  if (status.full_row != InsertStatus::kNone) throw table_full_error(capacity);
  if (status.repeated_row != InsertStatus::kNone) throw repeated_coords(download(coords, stream));
}

}  // namespace spb::maps
