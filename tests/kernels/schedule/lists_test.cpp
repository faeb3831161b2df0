// SPDX-License-Identifier: Apache-2.0
#include "kernels/schedule/lists.h"

#include <algorithm>
#include <gtest/gtest.h>

namespace spb::plans {
namespace {

class RowListsTest : public ::testing::Test {
 protected:
  gpu::Allocator allocator_{gpu::Guards::page()};
};

TEST_F(RowListsTest, ViewsNameWhatTheirSegmentHas) {
  maps::TileLists lists;
  lists.segments = 2;
  lists.n_rows = 4;
  lists.tiles = 3;
  lists.valid_kernel = gpu::Buffer<int32_t>(allocator_, 5, gpu::Tag::plan);
  lists.valid_kernel_seg = gpu::Buffer<int64_t>(allocator_, 7, gpu::Tag::plan);
  EXPECT_EQ(row_lists(lists, nullptr, 1).order, nullptr);
  EXPECT_EQ(row_lists(lists, nullptr, 1).tile_index, nullptr);
  EXPECT_EQ(row_lists(lists, nullptr, 1).tile_order, nullptr);
  lists.order = gpu::Buffer<int32_t>(allocator_, 8, gpu::Tag::plan);
  lists.tile_index = gpu::Buffer<int32_t>(allocator_, 20, gpu::Tag::plan);
  const gpu::Buffer<int32_t> tile_order(allocator_, 6, gpu::Tag::plan);
  for (const int segment : {0, 1}) {
    const RowLists view = row_lists(lists, tile_order.data(), segment);
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
        for (const Math& dtype : float_dtypes()) {
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
