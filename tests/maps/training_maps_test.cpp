// All maps in one chain: each product must equal what its own builder makes, and the tile index
// what brute force says.
#include "device_fixture.h"
#include "shapes.h"

namespace spb::maps {
namespace {

class TrainingMapsTest : public DeviceTest {
 protected:
  static MapNeeds everything(int tile_rows, RowOrder order, int64_t window = 16384) {
    MapNeeds needs;
    needs.table = needs.reverse_table = needs.fprop_lists = needs.dgrad_lists = needs.pairs = true;
    needs.tile_rows = tile_rows;
    needs.order = order;
    needs.window = window;
    return needs;
  }
  /// The lists that the single builders make of `map`, and the tile index by brute force.
  void expect_lists(const TileLists& lists, const NeighborMap& map, const MapNeeds& needs) {
    const RowMasks masks = build_masks(map, context());
    const TileLists expected =
        build_tile_lists(masks, build_order(masks, needs.order, needs.window, context()),
                         needs.tile_rows, context());
    const auto order = download(lists.order);
    const auto valid_kernel = download(lists.valid_kernel);
    const auto seg = download(lists.valid_kernel_seg);
    ASSERT_EQ(order, download(expected.order));
    ASSERT_EQ(valid_kernel, download(expected.valid_kernel));
    ASSERT_EQ(seg, download(expected.valid_kernel_seg));
    EXPECT_EQ(lists.tiles, expected.tiles);
    EXPECT_EQ(lists.listed, expected.listed);
    EXPECT_EQ(lists.n_rows, map.n_out);
    EXPECT_EQ(lists.tile_rows, needs.tile_rows);

    const auto rows = download(map.rows);
    std::vector<int32_t> index;
    for (size_t tile = 0; tile + 1 < seg.size(); ++tile)
      for (auto item = static_cast<size_t>(seg[tile]); item < static_cast<size_t>(seg[tile + 1]);
           ++item)
        for (size_t i = 0; i < static_cast<size_t>(needs.tile_rows); ++i) {
          const size_t position = tile * static_cast<size_t>(needs.tile_rows) + i;
          if (position >= static_cast<size_t>(map.n_out)) {
            index.push_back(-1);
            continue;
          }
          const size_t row = order.empty() ? position : static_cast<size_t>(order[position]);
          index.push_back(rows[row * static_cast<size_t>(map.kernel_volume) +
                               static_cast<size_t>(valid_kernel[item])]);
        }
    ASSERT_EQ(download(lists.tile_index), index);
  }
};

TEST_F(TrainingMapsTest, EqualTheSingleBuilders) {
  for (const auto& shape : brute::shapes())
    for (const auto& needs : {everything(128, RowOrder::gray), everything(7, RowOrder::window, 50),
                              everything(64, RowOrder::none)}) {
      SCOPED_TRACE(brute::text(shape) + ", " + name(needs.order));
      const DeviceCoords in = upload(shape.voxels);
      const TrainingMaps maps = build_training_maps(in, shape.geometry, needs, context());
      ASSERT_EQ(download(maps.out), brute::output_coords(shape.voxels, shape.geometry));
      ASSERT_EQ(download(maps.forward.rows),
                brute::neighbor_map(shape.voxels, download(maps.out), shape.geometry));
      expect_lists(maps.fprop, maps.forward, needs);

      const NeighborMap reverse = reverse_neighbor_map(maps.forward, in.size(), context());
      if (shape.geometry.kind == ConvKind::subm) {
        EXPECT_EQ(maps.reverse.rows.size(), 0);
        EXPECT_EQ(maps.dgrad.tiles, 0);
      } else {
        ASSERT_EQ(download(maps.reverse.rows), download(reverse.rows));
        expect_lists(maps.dgrad, reverse, needs);
      }
      const KernelMap pairs = build_kernel_map(maps.forward, context());
      ASSERT_EQ(maps.pairs.offset_begin_host, pairs.offset_begin_host);
      ASSERT_EQ(download(maps.pairs.offset_begin), download(pairs.offset_begin));
      ASSERT_EQ(download(maps.pairs.in_index), download(pairs.in_index));
      ASSERT_EQ(download(maps.pairs.out_index), download(pairs.out_index));
    }
}

TEST_F(TrainingMapsTest, MakeOnlyWhatIsNeeded) {
  const DeviceCoords in = upload(brute::random_voxels({1, {9, 9, 9}}, 300, 1));
  for (const ConvKind kind : {ConvKind::subm, ConvKind::strided})
    for (unsigned bits = 0; bits < 32; ++bits) {
      MapNeeds needs;
      needs.table = bits & 1;
      needs.reverse_table = bits & 2;
      needs.fprop_lists = bits & 4;
      needs.dgrad_lists = bits & 8;
      needs.pairs = bits & 16;
      ConvGeometry geometry;
      geometry.kind = kind;
      const bool subm = kind == ConvKind::subm;
      const TrainingMaps maps = build_training_maps(in, geometry, needs, context());
      EXPECT_EQ(maps.forward.rows.size() > 0, needs.table);
      EXPECT_EQ(maps.reverse.rows.size() > 0, needs.reverse_table && !subm);
      EXPECT_EQ(maps.fprop.listed > 0, needs.fprop_lists || (subm && needs.dgrad_lists));
      EXPECT_EQ(maps.dgrad.listed > 0, needs.dgrad_lists && !subm);
      EXPECT_EQ(maps.pairs.n_pairs() > 0, needs.pairs);
      EXPECT_EQ(maps.fprop.tile_index.size(), maps.fprop.listed * 128 * (maps.fprop.tiles > 0));
    }
}

TEST_F(TrainingMapsTest, AWindowWaitsForTheRowsItIsFor) {
  const DeviceCoords in = upload(brute::random_voxels({1, {9, 9, 9}}, 300, 1));
  MapNeeds needs;
  needs.fprop_lists = true;
  needs.window = 100;
  const auto order = [&](RowOrder kind, int64_t gray_up_to_rows) {
    needs.order = kind;
    needs.gray_up_to_rows = gray_up_to_rows;
    return download(build_training_maps(in, {}, needs, context()).fprop.order);
  };
  EXPECT_EQ(order(RowOrder::window, 300), order(RowOrder::gray, 0));
  EXPECT_NE(order(RowOrder::window, 299), order(RowOrder::gray, 0));
}

// Without guards a device's allocator hands released memory out while the kernels that use it still
// run; what a chain returns must not be touched by its own scratch or by the next chain's.
TEST_F(TrainingMapsTest, ReuseOfMemoryHarmsNoResult) {
  const VoxelSet voxels = brute::sphere(128);
  const MapNeeds needs = everything(128, RowOrder::window);
  gpu::Allocator reusing;
  const BuildContext reusing_context{reusing, stream_};
  {
    const DeviceCoords in = maps::upload(voxels, reusing, stream_);
    std::vector<TrainingMaps> kept;
    for (int i = 0; i < 3; ++i) {
      build_training_maps(in, {}, needs, reusing_context);  // released at once
      kept.push_back(build_training_maps(in, {}, needs, reusing_context));
    }
    for (const TrainingMaps& maps : kept) {
      EXPECT_EQ(maps.pairs.n_pairs(), 831680);
      expect_lists(maps.fprop, maps.forward, needs);
      const KernelMap pairs = build_kernel_map(maps.forward, context());
      ASSERT_EQ(download(maps.pairs.in_index), download(pairs.in_index));
      ASSERT_EQ(download(maps.pairs.out_index), download(pairs.out_index));
    }
  }
  EXPECT_EQ(reusing.counts().live_bytes, 0);
}

TEST_F(TrainingMapsTest, RefuseWhatTheSingleBuildersRefuse) {
  const auto refusal = [&](const VoxelSet& voxels, const ConvGeometry& geometry,
                           const HashOptions& hash = {}) {
    return error_of([&] {
      build_training_maps(upload(voxels), geometry, everything(128, RowOrder::gray), context(),
                          hash);
    });
  };
  const auto contains = [](const std::string& text, const std::string& part) {
    return text.find(part) != std::string::npos;
  };
  const VoxelSet good = brute::random_voxels({2, {8, 8, 8}}, 300, 9);
  VoxelSet repeated = good, outside = good;
  repeated.coords[250] = repeated.coords[3];
  outside.coords[41].y = 8;
  ConvGeometry strided;
  strided.kind = ConvKind::strided;
  for (const ConvGeometry& geometry : {ConvGeometry(), strided}) {
    EXPECT_EQ(refusal(good, geometry), "");
    EXPECT_TRUE(contains(refusal(repeated, geometry), "first row 250 "));
    EXPECT_TRUE(contains(refusal(outside, geometry), "row 41 "));
    EXPECT_TRUE(contains(refusal(good, geometry, {.capacity = 16}), "all 16 slots"));
  }
  ConvGeometry even;
  even.kernel_size = {2, 2, 2};
  EXPECT_TRUE(contains(refusal(good, even), "even axis"));
}

}  // namespace
}  // namespace spb::maps
