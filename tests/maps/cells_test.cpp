// SPDX-License-Identifier: Apache-2.0
// Maps by cells are those of the usual way, part by part, and refuse what it refuses.
#include "maps/table/cells.h"

#include <limits>

#include "device_fixture.h"
#include "maps/table/map_variant.h"
#include "shapes.h"

namespace spb::maps {
namespace {

/// Every kind, odd kernels of 1 to 7, dilations up to a cell's edge, boxes that end within a cell,
/// up to three batches.
std::vector<brute::Shape> shapes_of_cells() {
  std::vector<brute::Shape> all;
  std::mt19937 random(5);
  const auto pick = [&](int low, int high) {
    return low + static_cast<int32_t>(random() % static_cast<uint32_t>(high - low + 1));
  };
  for (uint32_t seed = 0; seed < 80; ++seed) {
    constexpr ConvKind kKinds[] = {ConvKind::subm, ConvKind::strided, ConvKind::inverse,
                                   ConvKind::generative};
    ConvGeometry geometry;
    geometry.kind = kKinds[seed % 4];
    for (size_t axis = 0; axis < 3; ++axis) {
      geometry.kernel_size[axis] = 2 * pick(0, seed < 40 ? 3 : 1) + 1;
      geometry.stride[axis] = geometry.kind == ConvKind::subm ? 1 : pick(1, 3);
      geometry.dilation[axis] = pick(1, kCellEdge);
    }
    const Box box{pick(1, 3), {pick(1, 18), pick(1, 18), pick(1, 18)}};
    all.push_back({"random " + std::to_string(seed), brute::random_voxels(box, pick(1, 300), seed),
                   geometry});
  }
  // More rows than one block has, in masks of one word and of several.
  const VoxelSet many = brute::random_voxels({2, {13, 10, 11}}, 1500, 3);
  for (const int32_t size : {3, 5, 7})
    all.push_back({"many", many, {ConvKind::subm, {size, size, size}, {1, 1, 1}, {1, 1, 1}}});
  // Columns longer than what a thread takes at once.
  for (const int32_t dilation : {1, 2})
    all.push_back({"long", many, {ConvKind::subm, {3, 1, 19}, {1, 1, 1}, {1, 1, dilation}}});
  all.push_back({"long", many, {ConvKind::strided, {1, 2, 8}, {1, 2, 3}, {1, 1, 1}}});
  return all;
}

class CellsTest : public DeviceTest {
 protected:
  std::string refusal(const VoxelSet& voxels, const ConvGeometry& geometry, HashOptions hash = {}) {
    hash.table_of = TableOf::cells;
    return error_of([&] {
      const DeviceCoords in = upload(voxels);
      const MadeCoords out = build_made_coords(in, geometry, context());
      build_layer_maps(in, out, geometry, everything(), context(), hash);
    });
  }
};

TEST_F(CellsTest, MakeTheSameParts) {
  std::vector<brute::Shape> all = shapes_of_cells();
  for (brute::Shape& shape : brute::shapes()) all.push_back(std::move(shape));
  int order = 0;
  for (const auto& shape : all) {
    constexpr RowOrder kOrders[] = {RowOrder::gray, RowOrder::none, RowOrder::z};
    const LayerNeeds needs = everything(kOrders[order++ % 3]);
    const DeviceCoords in = upload(shape.voxels);
    const MadeCoords out = build_made_coords(in, shape.geometry, context());
    const auto parts = [&](const HashOptions& hash) {
      return build_layer_maps(in, out, shape.geometry, needs, context(), hash);
    };
    const LayerMaps usual = parts({.table_of = TableOf::voxels});
    for (const int key_bits : {0, 64}) {
      SCOPED_TRACE(brute::text(shape) + ", keys of " + std::to_string(key_bits) + " bits");
      const LayerMaps cells = parts({.key_bits = key_bits, .table_of = TableOf::cells});
      ASSERT_EQ(download(cells.forward.rows), download(usual.forward.rows));
      ASSERT_EQ(download(cells.reverse.rows), download(usual.reverse.rows));
      ASSERT_EQ(cells.owner.lists.size(), usual.owner.lists.size());
      for (size_t i = 0; i < cells.owner.lists.size(); ++i) {
        const TileLists& made = *cells.owner.lists[i].second;
        const TileLists& expected = *usual.owner.lists[i].second;
        ASSERT_EQ(download(made.order), download(expected.order));
        ASSERT_EQ(download(made.valid_kernel), download(expected.valid_kernel));
        ASSERT_EQ(download(made.tile_index), download(expected.tile_index));
      }
      ASSERT_EQ(cells.pairs.offset_begin_host, usual.pairs.offset_begin_host);
      ASSERT_EQ(download(cells.pairs.fine_index), download(usual.pairs.fine_index));
      ASSERT_EQ(download(cells.pairs.coarse_index), download(usual.pairs.coarse_index));
    }
  }
}

TEST(CellsOf, CubesOfFiveAndSevenUnlessMoreIsAsked) {
  const auto table_of = [](Int3 kernel, int32_t dilation, int64_t rows, const HashOptions& hash) {
    const ConvGeometry geometry{ConvKind::subm, kernel, {1, 1, 1}, {dilation, dilation, dilation}};
    return with_table(hash, geometry, rows).table_of;
  };
  constexpr int64_t kRows = 1000;
  EXPECT_EQ(table_of({3, 3, 3}, 1, kRows, {}), TableOf::voxels);
  EXPECT_EQ(table_of({5, 5, 5}, 1, kRows, {}), TableOf::cells);
  EXPECT_EQ(table_of({7, 7, 7}, 1, kRows, {}), TableOf::cells);
  EXPECT_EQ(table_of({9, 9, 9}, 1, kRows, {}), TableOf::voxels);
  EXPECT_EQ(table_of({5, 5, 3}, 1, kRows, {}), TableOf::voxels);
  EXPECT_EQ(table_of({5, 5, 5}, 2, kRows, {}), TableOf::voxels);
  EXPECT_EQ(table_of({5, 5, 5}, 1, int64_t{1} << 28, {}), TableOf::voxels) << "too many slots";
  for (const HashOptions& asked :
       {HashOptions{.load_factor = 0.5}, {.capacity = 4096}, {.key_bits = 64}, {.half = true}})
    EXPECT_EQ(table_of({5, 5, 5}, 1, kRows, asked), TableOf::voxels);
  EXPECT_EQ(table_of({5, 5, 5}, 1, kRows, {.table_of = TableOf::voxels}), TableOf::voxels);
  EXPECT_EQ(table_of({3, 3, 3}, 1, kRows, {.table_of = TableOf::cells}), TableOf::cells);
}

// 16 cells in 16 slots: a cell that is not there is looked for in all of them.
TEST_F(CellsTest, AFullTableAnswersAndAnOverfullOneIsAnError) {
  const VoxelSet voxels = brute::random_voxels({2, {8, 8, 8}}, 700, 9);
  const DeviceCoords in = upload(voxels);
  const MadeCoords out = build_made_coords(in, {}, context());
  for (const int key_bits : {32, 64}) {
    const HashOptions full{.capacity = 16, .key_bits = key_bits, .table_of = TableOf::cells};
    EXPECT_EQ(download(build_neighbor_map(in, out, {}, context(), full)->rows),
              brute::neighbor_map(voxels, voxels.coords, {}));
    EXPECT_TRUE(
        contains(refusal(voxels, {}, {.capacity = 8, .key_bits = key_bits}), "all 8 slots"));
  }
}

TEST_F(CellsTest, RefuseBadCoords) {
  const VoxelSet good = brute::random_voxels({2, {9, 9, 9}}, 300, 9);
  ConvGeometry strided;
  strided.kind = ConvKind::strided;
  for (const ConvGeometry& geometry : {ConvGeometry(), strided}) {
    EXPECT_EQ(refusal(good, geometry), "");
    VoxelSet repeated = good;
    repeated.coords[250] = repeated.coords[3];
    EXPECT_TRUE(contains(refusal(repeated, geometry), "first row 250 "));
    // Within the last cell, but not in the box.
    for (const Coord& bad : {Coord{0, 9, 0, 0}, Coord{0, 0, -1, 0}, Coord{2, 0, 0, 0},
                             Coord{0, 0, 0, std::numeric_limits<int32_t>::max()}}) {
      VoxelSet outside = good;
      outside.coords[41] = bad;
      EXPECT_TRUE(contains(refusal(outside, geometry), "row 41 "));
    }
  }
}

TEST_F(CellsTest, RefuseDilationsThatNoCellSpans) {
  ConvGeometry wide;
  wide.dilation = {1, kCellEdge + 1, 1};
  const VoxelSet voxels = brute::random_voxels({1, {8, 8, 8}}, 20, 9);
  EXPECT_TRUE(contains(refusal(voxels, wide), "dilation above 4"));
  EXPECT_TRUE(contains(*unsupported(find_map_variant("cells", ""), wide), "dilation above 4"));
  wide.kernel_size[1] = 1;
  EXPECT_EQ(refusal(voxels, wide), "");
  EXPECT_FALSE(unsupported(find_map_variant("cells", ""), wide));
}

TEST(Cells, HoldTheWholeBox) {
  constexpr int32_t kMax = std::numeric_limits<int32_t>::max();
  EXPECT_EQ(box_of_cells({3, {0, 1, 4}}), (Box{3, {0, 1, 1}}));
  EXPECT_EQ(box_of_cells({1, {5, 8, kMax}}), (Box{1, {2, 2, kMax / 4 + 1}}));
  EXPECT_TRUE(contains(error_of([] { box_of_cells({1, {-1, 4, 4}}); }), "negative: -1"));
  EXPECT_TRUE(contains(error_of([] { box_of_cells({1, {kMax, kMax, kMax}}); }), "64 bits"));
}

TEST(Cells, ColumnsOfTheirRowsHave32Bits) {
  EXPECT_EQ(cell_capacity(int64_t{1} << 27, {}, 64), int64_t{1} << 28);
  EXPECT_TRUE(contains(error_of([] { cell_capacity((int64_t{1} << 27) + 1, {}, 64); }),
                       "134217729 rows need 536870912 slots"));
}

}  // namespace
}  // namespace spb::maps
