// SPDX-License-Identifier: Apache-2.0
// Greedy clusters: the kernels against one choice after the other on the host, and what they gain.
#include "maps/orders/cluster.h"

#include <numeric>

#include "device_fixture.h"
#include "maps/lists/work_statistics.h"
#include "maps/orders/gray.h"
#include "shapes.h"

namespace spb::maps {
namespace {

/// The masks of a segment's offsets alone.
HostMasks segment_masks(HostMasks masks, int segment, int segments) {
  const int first = segment_begin(segment, segments, masks.kernel_volume);
  const int end = segment_begin(segment + 1, segments, masks.kernel_volume);
  for (size_t i = 0; i < masks.words.size(); ++i) {
    const auto word = static_cast<int>(i) % masks.words_per_row;
    masks.words[i] &= low_bits(end - 32 * word) & ~low_bits(first - 32 * word);
  }
  return masks;
}

class ClusterTest : public DeviceTest {
 protected:
  std::shared_ptr<const TileLists> build_lists(const VoxelSet& voxels, const ConvGeometry& geometry,
                                               LayerNeeds needs) {
    needs.fprop_lists = true;
    needs.tile_index = false;
    return build(upload(voxels), geometry, needs).owner.lists.front().second;
  }

  /// Builds lists in greedy order: of every segment a permutation, the one that the host finds from
  /// the order by windows, with the offsets that its tiles have.
  void expect_clusters(const VoxelSet& voxels, const ConvGeometry& geometry, LayerNeeds needs) {
    needs.order = RowOrder::window;
    const std::vector<int32_t> sorted = download(build_lists(voxels, geometry, needs)->order);
    needs.order = RowOrder::greedy;
    const auto lists = build_lists(voxels, geometry, needs);
    const std::vector<int32_t> order = download(lists->order);
    ASSERT_EQ(order.size(), sorted.size());
    const auto n = static_cast<size_t>(lists->n_rows);
    const HostMasks all = masks_of(voxels, geometry);
    int64_t listed = 0;
    for (int s = 0; s < needs.segments; ++s) {
      const HostMasks masks = segment_masks(all, s, needs.segments);
      const auto part = [&](const std::vector<int32_t>& rows) {
        return std::vector<int32_t>(rows.begin() + static_cast<ptrdiff_t>(n) * s,
                                    rows.begin() + static_cast<ptrdiff_t>(n) * (s + 1));
      };
      std::vector<int32_t> rows = part(order);
      ASSERT_EQ(rows, host_clusters(masks, part(sorted), needs.tile_rows)) << "segment " << s;
      listed += listed_offsets(masks, rows, needs.tile_rows);
      std::ranges::sort(rows);
      for (size_t i = 0; i < n; ++i) ASSERT_EQ(rows[i], static_cast<int32_t>(i));
    }
    EXPECT_EQ(lists->listed, listed);
  }

  HostMasks masks_of(const VoxelSet& voxels, const ConvGeometry& geometry) {
    const LayerMaps made = build(upload(voxels), geometry, {.table = true});
    const NeighborMap& map = made.forward;
    const std::vector<int32_t> rows = download(map.rows);
    HostMasks masks;
    masks.n_rows = map.n_rows;
    masks.kernel_size = geometry.kernel_size;
    masks.kernel_volume = map.kernel_volume;
    masks.words_per_row = mask_words(map.kernel_volume);
    masks.words.resize(static_cast<size_t>(masks.n_rows * masks.words_per_row));
    for (size_t i = 0; i < rows.size(); ++i) {
      const size_t row = i / static_cast<size_t>(map.kernel_volume);
      const size_t o = i % static_cast<size_t>(map.kernel_volume);
      if (rows[i] >= 0)
        masks.words[row * static_cast<size_t>(masks.words_per_row) + o / 32] |= uint32_t{1}
                                                                                << o % 32;
    }
    return masks;
  }
};

TEST_F(ClusterTest, AreThoseOfTheHost) {
  int number = 0;
  for (const auto& shape : brute::shapes()) {
    // So that every kind of shape meets every number of segments and both heights, in a minute.
    const int segments = number % 3 + 1, tile_rows = number % 2 ? 7 : 32;
    ++number;
    SCOPED_TRACE(brute::text(shape) + ", tiles of " + std::to_string(tile_rows) + ", " +
                 std::to_string(segments) + " segments");
    expect_clusters(shape.voxels, shape.geometry, {.tile_rows = tile_rows, .segments = segments});
  }
}

TEST_F(ClusterTest, AreThoseOfTheHostInSeveralWindows) {
  const VoxelSet sphere = brute::sphere(64);  // 4,091 groups
  expect_clusters(sphere, {}, {});
  expect_clusters(sphere, {}, {.tile_rows = 64, .segments = 2});
  expect_clusters(sphere, {}, {.tile_rows = 1});
  // Masks of several words, 2,000 groups; sorted in windows of their own; a tile's rows left over.
  const VoxelSet random = brute::random_voxels({1, {24, 24, 24}}, 2000, 5);
  ConvGeometry five;
  five.kernel_size = {5, 5, 5};
  expect_clusters(random, five, {.tile_rows = 48});
  expect_clusters(random, five, {.tile_rows = 128, .segments = 3, .window = 300});
}

TEST_F(ClusterTest, LeaveRowsOfOneMaskAsTheyAre) {
  VoxelSet isolated{{}, {1, {64, 64, 64}}, {}};
  for (int32_t i = 0; i < 700; ++i)
    isolated.coords.push_back({0, i / 100 * 5, i / 10 % 10 * 5, i % 10 * 5});
  std::vector<int32_t> expected(700);
  std::iota(expected.begin(), expected.end(), 0);
  EXPECT_EQ(download(build_lists(isolated, {}, {.order = RowOrder::greedy})->order), expected);
}

TEST_F(ClusterTest, RepeatThemselves) {
  const VoxelSet sphere = brute::sphere(32);
  const LayerNeeds needs{.segments = 2, .order = RowOrder::greedy};
  EXPECT_EQ(download(build_lists(sphere, {}, needs)->order),
            download(build_lists(sphere, {}, needs)->order));
}

TEST_F(ClusterTest, WaitForTheWindowOfManyRows) {
  const VoxelSet sphere = brute::sphere(32);
  LayerNeeds needs{.order = RowOrder::greedy, .window = 1000, .gray_up_to_rows = sphere.size()};
  const auto one_window = download(build_lists(sphere, {}, needs)->order);
  needs.window = sphere.size();
  EXPECT_EQ(one_window, download(build_lists(sphere, {}, needs)->order));
  needs.window = 1000;
  needs.gray_up_to_rows = sphere.size() - 1;
  EXPECT_NE(one_window, download(build_lists(sphere, {}, needs)->order));
}

TEST_F(ClusterTest, AreNotSoughtWhereTilesAreAsHighAsAWindow) {
  EXPECT_EQ(window_groups(1, 512), 512);
  EXPECT_EQ(window_groups(1, 513), 0);
  const VoxelSet sphere = brute::sphere(32);
  EXPECT_EQ(download(build_lists(sphere, {}, {.tile_rows = 513, .order = RowOrder::greedy})->order),
            download(build_lists(sphere, {}, {.tile_rows = 513, .order = RowOrder::gray})->order));
}

TEST(JoinCost, IsTheWorkThatARowWastes) {
  EXPECT_EQ(join_cost(0, 0, 100, join_share(28)), 0u);
  EXPECT_EQ(join_cost(0, 3, 100, join_share(28)), 3u * 16);
  EXPECT_EQ(join_cost(2, 0, 64, join_share(64)), 2u * 16);
  EXPECT_EQ(join_cost(2, 1, 64, join_share(1)), 2u * 64 * 16 + 16);
  // What is beyond all measure still leaves room for the number of a group.
  EXPECT_LT(join_cost(1000, 1000, 511, join_share(1)), 1u << 22);
  EXPECT_LT(join_cost(1 << 20, 0, 511, join_share(1)), 1u << 22);
}

}  // namespace
}  // namespace spb::maps
