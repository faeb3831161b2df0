// SPDX-License-Identifier: Apache-2.0
#include "kernels/schedule/lists.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <vector>

namespace spb::plans {
namespace {

class RowListsTest : public ::testing::Test {
 protected:
  maps::BuildContext context() { return {allocator_, stream_}; }

  std::vector<int32_t> longest_first_of(const std::vector<int64_t>& lengths, int kernel_volume,
                                        int segments = 1) {
    maps::TileLists lists;
    lists.segments = segments;
    lists.tiles = static_cast<int64_t>(lengths.size()) / segments;
    std::vector<int64_t> begin{0};
    for (const int64_t length : lengths) begin.push_back(begin.back() + length);
    lists.valid_kernel_seg =
        gpu::Buffer<int64_t>(allocator_, static_cast<int64_t>(begin.size()), gpu::Tag::plan);
    lists.valid_kernel_seg.upload(begin, stream_);
    return longest_first(lists, kernel_volume, context()).download(stream_);
  }

  gpu::Allocator allocator_{true};
  gpu::Stream stream_;
};

TEST_F(RowListsTest, TilesGoByFallingLengthThenByNumber) {
  EXPECT_EQ(longest_first_of({3, 27, 0, 3, 26, 27}, 27), (std::vector<int32_t>{1, 5, 4, 0, 3, 2}));
  EXPECT_EQ(longest_first_of({}, 27), std::vector<int32_t>());
  EXPECT_EQ(longest_first_of({1, 0, 1}, 1), (std::vector<int32_t>{0, 2, 1}));
  EXPECT_EQ(longest_first_of({1, 9, 0, 3, 14, 3}, 27, 2), (std::vector<int32_t>{1, 0, 2, 1, 0, 2}));

  std::mt19937 random(6);
  for (const int kernel_volume : {1, 27, 343, 511, 512})
    for (const size_t tiles : {size_t{5}, size_t{1000}, size_t{8192}, size_t{8193}}) {
      std::vector<int64_t> lengths(tiles);
      for (int64_t& length : lengths) length = random() % (kernel_volume + 1);
      std::vector<int32_t> expected(lengths.size());
      std::iota(expected.begin(), expected.end(), 0);
      std::stable_sort(expected.begin(), expected.end(), [&](int32_t a, int32_t b) {
        return lengths[static_cast<size_t>(a)] > lengths[static_cast<size_t>(b)];
      });
      EXPECT_EQ(longest_first_of(lengths, kernel_volume), expected)
          << kernel_volume << " offsets, " << tiles << " tiles";
    }
}

TEST_F(RowListsTest, ViewsNameWhatTheirSegmentHas) {
  maps::TileLists lists;
  lists.segments = 2;
  lists.n_rows = 4;
  lists.tiles = 3;
  lists.valid_kernel = gpu::Buffer<int32_t>(allocator_, 5, gpu::Tag::plan);
  lists.valid_kernel_seg = gpu::Buffer<int64_t>(allocator_, 7, gpu::Tag::plan);
  EXPECT_EQ(row_lists(lists, {}, 1).order, nullptr);
  EXPECT_EQ(row_lists(lists, {}, 1).tile_index, nullptr);
  EXPECT_EQ(row_lists(lists, {}, 1).tile_order, nullptr);
  lists.order = gpu::Buffer<int32_t>(allocator_, 8, gpu::Tag::plan);
  lists.tile_index = gpu::Buffer<int32_t>(allocator_, 20, gpu::Tag::plan);
  const gpu::Buffer<int32_t> tile_order(allocator_, 6, gpu::Tag::plan);
  for (const int segment : {0, 1}) {
    const RowLists view = row_lists(lists, tile_order, segment);
    EXPECT_EQ(view.order, lists.order.data() + 4 * segment);
    EXPECT_EQ(view.listed, lists.valid_kernel.data());
    EXPECT_EQ(view.listed_begin, lists.valid_kernel_seg.data() + 3 * segment);
    EXPECT_EQ(view.tile_index, lists.tile_index.data());
    EXPECT_EQ(view.tile_order, tile_order.data() + 3 * segment);
  }
}

TEST(RowSegments, AreFewerThanTheOffsetsAndThePassHolds) {
  EXPECT_EQ(row_segments(100, 64, Dtype::f16, 27), 1);
  EXPECT_EQ(row_segments(100000, 64, Dtype::f16, 1), 1);
  for (const int64_t rows : {0, 1, 2048, 9000, 40000, 4000000})
    for (const int depth : {1, 64, 300, 4096})
      for (const int kernel_volume : {1, 2, 8, 27, 343})
        for (const Math& dtype : dtypes()) {
          const int segments = row_segments(rows, depth, dtype.dtype, kernel_volume);
          EXPECT_GE(segments, 1);
          EXPECT_LE(segments, std::min(kernel_volume, GatherGemmParams::kMostSegments));
        }
}

TEST(RowSegments, GrowWithWhatTheySpare) {
  for (const int64_t rows : {4000, 20000})
    for (int depth = 8; depth < 4096; depth *= 2) {
      EXPECT_LE(row_segments(rows, depth, Dtype::f16, 27),
                row_segments(rows, 2 * depth, Dtype::f16, 27));
      EXPECT_EQ(row_segments(rows, 2 * depth, Dtype::f16, 27),
                row_segments(rows, depth, Dtype::tf32, 27));
    }
}

}  // namespace
}  // namespace spb::plans
