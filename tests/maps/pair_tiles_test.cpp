// SPDX-License-Identifier: Apache-2.0
#include "maps/pairs/pair_tiles.h"

#include <gtest/gtest.h>

#include "device_fixture.h"
#include "maps/download.h"
#include "shapes.h"

namespace spb::maps {
namespace {

/// What the tiles must be, from the pairs by plain loops.
struct Expected {
  std::vector<int32_t> order, index, offsets, table;
  std::vector<int64_t> begin{0};

  Expected(const MapSet& map, int volume, bool writes_fine, int tile_rows, int64_t rows)
      : table(static_cast<size_t>(rows * volume), -1) {
    for (int32_t o = 0; o < volume; ++o) {
      for (const Triple& pair : map.triples) {
        if (pair.offset != o) continue;
        const int32_t row = writes_fine ? pair.in : pair.out;
        table[static_cast<size_t>(row * volume + o)] = static_cast<int32_t>(order.size());
        order.push_back(row);
        index.push_back(writes_fine ? pair.out : pair.in);
      }
      while (order.size() % static_cast<size_t>(tile_rows) != 0) {
        order.push_back(-1);
        index.push_back(-1);
      }
      begin.push_back(static_cast<int64_t>(order.size()) / tile_rows);
      offsets.resize(static_cast<size_t>(begin.back()), o);
    }
  }
};

class PairTilesOf : public DeviceTest {
 protected:
  void expect_tiles(const char* text, const VoxelSet& voxels) {
    const ConvGeometry geometry =
        parse_problem(std::string(text) + " c1:1 f32 fprop", "test").geometry;
    const MapSet map = brute::map_set(voxels, geometry);
    const DeviceCoords coords = upload(voxels);
    const LayerMaps maps = build(coords, geometry, {.pairs = true});
    const int volume = geometry.kernel_volume();
    for (const bool writes_fine : {false, true})
      for (const int tile_rows : {1, 3, 64, 128}) {
        SCOPED_TRACE(std::string(text) + (writes_fine ? ", fine, " : ", coarse, ") +
                     std::to_string(tile_rows) + " rows");
        const int64_t rows = writes_fine ? voxels.size() : int64_t(map.out_coords.size());
        const Expected expected(map, volume, writes_fine, tile_rows, rows);
        const int64_t waits = stream_.waits();
        const PairTiles tiles = build_pair_tiles(maps.pairs, writes_fine, tile_rows, context());
        const gpu::Buffer<int32_t> table = position_table(tiles, rows, context());
        EXPECT_EQ(stream_.waits(), waits);
        EXPECT_EQ(tiles.tile_begin, expected.begin);
        const TileLists& lists = tiles.lists;
        EXPECT_EQ(lists.tiles, expected.begin.back());
        EXPECT_EQ(lists.listed, lists.tiles);
        EXPECT_EQ(lists.n_rows, lists.tiles * tile_rows);
        EXPECT_EQ(lists.tile_rows, tile_rows);
        EXPECT_EQ(download(lists.order), expected.order);
        EXPECT_EQ(download(lists.tile_index), expected.index);
        EXPECT_EQ(download(lists.valid_kernel), expected.offsets);
        EXPECT_EQ(download(table), expected.table);
        const std::vector<int64_t> starts = download(lists.valid_kernel_seg);
        ASSERT_EQ(int64_t(starts.size()), lists.tiles + 1);
        for (size_t t = 0; t < starts.size(); ++t) ASSERT_EQ(starts[t], int64_t(t));
      }
  }
};

TEST_F(PairTilesOf, HoldEachPairOfAnOffsetInItsOrder) {
  const VoxelSet voxels = brute::random_voxels({2, {8, 8, 8}}, 300, 5);
  for (const char* geometry : {"subm k3x3x3 s1x1x1 d1x1x1", "subm k1x1x1 s1x1x1 d1x1x1",
                               "subm k5x5x5 s1x1x1 d1x1x1", "strided k2x2x2 s2x2x2 d1x1x1",
                               "strided k3x3x3 s2x2x2 d1x1x1", "strided k1x1x1 s2x2x2 d1x1x1"})
    expect_tiles(geometry, voxels);
}

// One voxel leaves all offsets but the center empty, three far apart as well.
TEST_F(PairTilesOf, OfOffsetsWithoutPairsAreNone) {
  const Box box{1, {30, 30, 30}};
  for (const VoxelSet& voxels :
       {VoxelSet{{{0, 1, 1, 1}}, box, {}},
        VoxelSet{{{0, 1, 1, 1}, {0, 9, 9, 9}, {0, 20, 9, 1}}, box, {}}, VoxelSet{{}, box, {}}})
    for (const char* geometry : {"subm k3x3x3 s1x1x1 d1x1x1", "strided k3x3x3 s2x2x2 d1x1x1"})
      expect_tiles(geometry, voxels);
}

}  // namespace
}  // namespace spb::maps
