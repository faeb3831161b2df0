// SPDX-License-Identifier: Apache-2.0
// The orders of voxel rows.
#include <algorithm>
#include <array>
#include <cstdint>
#include <limits>
#include <span>
#include <string>
#include <utility>
#include <vector>

#include "core/error.h"
#include "core/nearest.h"
#include "data/coord_set.h"
#include "data/voxelize.h"

namespace spb::data {
namespace {

constexpr std::pair<VoxelOrder, const char*> kOrders[] = {{VoxelOrder::file, "file"},
                                                          {VoxelOrder::lex, "lex"},
                                                          {VoxelOrder::z, "z"},
                                                          {VoxelOrder::hash, "hash"}};

/// Whether the highest bit set in a is below that of b.
bool lower_top_bit(uint32_t a, uint32_t b) { return a < b && a < (a ^ b); }

/// Sorts rows of one batch along the Morton curve from their own minimum, x the highest bit.
/// Keys of 3 x 32 bits are never built: the axis with the highest differing bit decides.
void sort_morton(std::span<Coord> rows) {
  constexpr int32_t Coord::*kAxes[] = {&Coord::x, &Coord::y, &Coord::z};
  Int3 low;
  for (size_t axis = 0; axis < 3; ++axis)
    low[axis] = std::ranges::min(rows, {}, kAxes[axis]).*kAxes[axis];
  const auto offset = [&](const Coord& row, size_t axis) {
    return static_cast<uint32_t>(row.*kAxes[axis]) - static_cast<uint32_t>(low[axis]);
  };
  std::ranges::sort(rows, [&](const Coord& a, const Coord& b) {
    size_t deciding = 0;
    uint32_t most = 0;
    for (size_t axis = 0; axis < 3; ++axis) {
      const uint32_t difference = offset(a, axis) ^ offset(b, axis);
      if (lower_top_bit(most, difference)) most = difference, deciding = axis;
    }
    return offset(a, deciding) < offset(b, deciding);
  });
}

void sort_z(std::vector<Coord>& rows) {
  std::ranges::stable_sort(rows, {}, &Coord::batch);
  for (auto first = rows.begin(); first != rows.end();) {
    const auto last =
        std::upper_bound(first, rows.end(), first->batch,
                         [](int32_t batch, const Coord& row) { return batch < row.batch; });
    sort_morton({first, last});
    first = last;
  }
}

void sort_hash(VoxelSet& set) {
  const Int3 shape = set.box.shape;
  std::vector<std::pair<uint64_t, Coord>> keyed(set.coords.size());
  std::ranges::transform(set.coords, keyed.begin(), [&](const Coord& c) {
    const auto wide = [](int32_t value) { return static_cast<uint64_t>(value); };
    const uint64_t key =
        ((wide(c.batch) * wide(shape[0]) + wide(c.x)) * wide(shape[1]) + wide(c.y)) *
            wide(shape[2]) +
        wide(c.z);
    return std::pair(splitmix64_finalise(key), c);
  });
  std::ranges::sort(keyed);
  std::ranges::transform(keyed, set.coords.begin(), &std::pair<uint64_t, Coord>::second);
}

}  // namespace

const char* name(VoxelOrder order) {
  return std::ranges::find(kOrders, order, &std::pair<VoxelOrder, const char*>::first)->second;
}

VoxelOrder parse_voxel_order(const std::string& text, const std::string& where) {
  std::vector<std::string> names;
  for (const auto& [order, order_name] : kOrders) {
    if (text == order_name) return order;
    names.emplace_back(order_name);
  }
  throw usage_error(where, unknown_name(text, names), "orders: file, lex, z, hash");
}

void sort_rows(VoxelSet& set, VoxelOrder order) {
  switch (order) {
    case VoxelOrder::file:
      break;
    case VoxelOrder::lex:
      std::ranges::sort(set.coords);
      break;
    case VoxelOrder::z:
      sort_z(set.coords);
      break;
    case VoxelOrder::hash:
      sort_hash(set);
      break;
  }
}

void copy_as_batches(VoxelSet& set, int copies) {
  constexpr int64_t kMost = std::numeric_limits<int32_t>::max();
  if (set.size() * copies > kMost || int64_t{set.box.batch_size} * copies > kMost)
    throw usage_error("--batch-copies",
                      std::to_string(copies) + " copies of " + std::to_string(set.size()) +
                          " voxels are too many",
                      "2147483647 rows are the most");
  const int32_t own_batches = set.box.batch_size;
  const size_t own_rows = set.coords.size();
  set.coords.reserve(own_rows * static_cast<size_t>(copies));
  for (int32_t copy = 1; copy < copies; ++copy)
    for (size_t row = 0; row < own_rows; ++row) {
      Coord coord = set.coords[row];
      coord.batch += copy * own_batches;
      set.coords.push_back(coord);
    }
  set.box.batch_size *= copies;
}

}  // namespace spb::data
