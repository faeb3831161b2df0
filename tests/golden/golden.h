// SPDX-License-Identifier: Apache-2.0
// What hand-worked layouts share. Their numbers come from the definitions, worked on paper beside
// each test: nothing here or there may ask the code under test, or another truth, for them.
#pragma once

#include <utility>

#include "core/expected.h"
#include "maps/device_fixture.h"
#include "maps/table/pending_map.h"
#include "reference/reference.h"

namespace spb::golden {

/// The entries of one row of a table that are not -1: (offset, row).
using Entries = std::vector<std::pair<int, int32_t>>;

/// [rows, volume], absent = -1.
inline std::vector<int32_t> table(const std::vector<Entries>& rows, int volume) {
  std::vector<int32_t> dense;
  for (const Entries& entries : rows) {
    dense.resize(dense.size() + size_t(volume), -1);
    for (const auto& [offset, row] : entries)
      dense[dense.size() - size_t(volume) + size_t(offset)] = row;
  }
  return dense;
}

/// Lists as a test writes them.
struct Lists {
  std::vector<int32_t> order, valid_kernel;
  std::vector<int64_t> valid_kernel_seg;
  std::vector<std::vector<int32_t>> tile_index;  ///< a row per listed offset
};

class GoldenTest : public DeviceTest {
 protected:
  void expect_lists(const maps::TileLists& lists, const Lists& expected) {
    EXPECT_EQ(download(lists.order), expected.order);
    EXPECT_EQ(download(lists.valid_kernel), expected.valid_kernel);
    EXPECT_EQ(download(lists.valid_kernel_seg), expected.valid_kernel_seg);
    std::vector<int32_t> index;
    for (const std::vector<int32_t>& row : expected.tile_index)
      index.insert(index.end(), row.begin(), row.end());
    EXPECT_EQ(download(lists.tile_index), index);
  }
  /// Order alone, of one segment.
  std::vector<int32_t> order(const VoxelSet& voxels, maps::RowOrder kind, int64_t window = 1024) {
    maps::LayerNeeds needs{.fprop_lists = true, .order = kind, .window = window};
    return download(build(upload(voxels), {}, needs).fprop.order);
  }
  std::vector<uint32_t> masks(const maps::NeighborMap& map) {
    return download(maps::build_masks(map, context()).words);
  }
  void expect_reference(const VoxelSet& voxels, const ConvGeometry& geometry,
                        const std::vector<Coord>& out, const Triples& triples) {
    const MapSet map = reference::build_map(voxels, geometry);
    EXPECT_EQ(map.out_coords, out);
    EXPECT_EQ(map.triples, triples);
  }
};

}  // namespace spb::golden
