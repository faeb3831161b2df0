#include "algorithms/implicit/row_lists.h"

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

  maps::RowMasks random_masks(int64_t rows, int kernel_volume) {
    maps::RowMasks masks;
    masks.n_rows = rows;
    masks.kernel_volume = kernel_volume;
    masks.words_per_row = (kernel_volume + 31) / 32;
    std::vector<uint32_t> words(static_cast<size_t>(rows * masks.words_per_row));
    std::mt19937 random(5);
    for (size_t i = 0; i < words.size(); ++i) {
      const int bits = kernel_volume - 32 * static_cast<int>(i % size_t(masks.words_per_row));
      words[i] = static_cast<uint32_t>(random()) & (bits < 32 ? (1u << bits) - 1 : ~0u);
    }
    masks.words =
        gpu::Buffer<uint32_t>(allocator_, static_cast<int64_t>(words.size()), gpu::Tag::plan);
    masks.words.upload(words, stream_);
    return masks;
  }

  std::vector<int32_t> longest_first_of(const std::vector<int64_t>& lengths, int kernel_volume) {
    maps::TileLists lists;
    lists.tiles = static_cast<int64_t>(lengths.size());
    std::vector<int64_t> begin{0};
    for (const int64_t length : lengths) begin.push_back(begin.back() + length);
    lists.valid_kernel_seg = gpu::Buffer<int64_t>(allocator_, lists.tiles + 1, gpu::Tag::plan);
    lists.valid_kernel_seg.upload(begin, stream_);
    return longest_first(lists, kernel_volume, context()).download(stream_);
  }

  gpu::Allocator allocator_{true};
  gpu::Stream stream_;
};

TEST_F(RowListsTest, SegmentsKeepTheirOffsetsAndNoOthers) {
  for (const int kernel_volume : {1, 27, 32, 33, 64, 125, 343}) {
    const maps::RowMasks masks = random_masks(70, kernel_volume);
    const std::vector<uint32_t> words = masks.words.download(stream_);
    for (const auto& [first, end] : {std::pair(0, kernel_volume),
                                     {0, kernel_volume / 2},
                                     {kernel_volume / 2, kernel_volume},
                                     {kernel_volume / 3, kernel_volume / 3},
                                     {kernel_volume / 5, 4 * kernel_volume / 5}}) {
      SCOPED_TRACE(std::to_string(kernel_volume) + ": " + std::to_string(first) + " to " +
                   std::to_string(end));
      const maps::RowMasks segment = segment_masks(masks, first, end, context());
      ASSERT_EQ(segment.n_rows, masks.n_rows);
      ASSERT_EQ(segment.words_per_row, masks.words_per_row);
      EXPECT_EQ(segment.kernel_volume, kernel_volume);
      const std::vector<uint32_t> found = segment.words.download(stream_);
      for (size_t i = 0; i < words.size(); ++i)
        for (int bit = 0; bit < 32; ++bit) {
          const int o = 32 * static_cast<int>(i % size_t(masks.words_per_row)) + bit;
          const uint32_t expected = o >= first && o < end ? words[i] >> bit & 1 : 0;
          ASSERT_EQ(found[i] >> bit & 1, expected) << "word " << i << ", offset " << o;
        }
    }
  }
}

// An order drops the bit that all masks have; without it, rows that differ would look alike.
TEST_F(RowListsTest, OnlyTheSegmentOfTheCommonOffsetHasIt) {
  maps::RowMasks masks = random_masks(3, 27);
  masks.common_offset = 13;
  EXPECT_EQ(segment_masks(masks, 0, 13, context()).common_offset, -1);
  EXPECT_EQ(segment_masks(masks, 0, 14, context()).common_offset, 13);
  EXPECT_EQ(segment_masks(masks, 13, 27, context()).common_offset, 13);
  EXPECT_EQ(segment_masks(masks, 14, 27, context()).common_offset, -1);
  masks.common_offset = -1;
  EXPECT_EQ(segment_masks(masks, 0, 27, context()).common_offset, -1);
}

TEST_F(RowListsTest, TilesGoByFallingLengthThenByNumber) {
  EXPECT_EQ(longest_first_of({3, 27, 0, 3, 26, 27}, 27), (std::vector<int32_t>{1, 5, 4, 0, 3, 2}));
  EXPECT_EQ(longest_first_of({}, 27), std::vector<int32_t>());
  EXPECT_EQ(longest_first_of({1, 0, 1}, 1), (std::vector<int32_t>{0, 2, 1}));

  std::mt19937 random(6);
  std::vector<int64_t> lengths(1000);
  for (int64_t& length : lengths) length = random() % 344;
  std::vector<int32_t> expected(lengths.size());
  std::iota(expected.begin(), expected.end(), 0);
  std::stable_sort(expected.begin(), expected.end(), [&](int32_t a, int32_t b) {
    return lengths[static_cast<size_t>(a)] > lengths[static_cast<size_t>(b)];
  });
  EXPECT_EQ(longest_first_of(lengths, 343), expected);
}

TEST_F(RowListsTest, ViewsNameWhatTheirListsHave) {
  OwnedRowLists owned;
  EXPECT_EQ(owned.view().tile_index, nullptr);
  EXPECT_EQ(owned.view().tile_order, nullptr);
  owned.lists.order = gpu::Buffer<int32_t>(allocator_, 4, gpu::Tag::plan);
  owned.lists.valid_kernel = gpu::Buffer<int32_t>(allocator_, 5, gpu::Tag::plan);
  owned.lists.valid_kernel_seg = gpu::Buffer<int64_t>(allocator_, 2, gpu::Tag::plan);
  owned.lists.tile_index = gpu::Buffer<int32_t>(allocator_, 20, gpu::Tag::plan);
  owned.tile_order = gpu::Buffer<int32_t>(allocator_, 1, gpu::Tag::plan);
  const RowLists view = owned.view();
  EXPECT_EQ(view.order, owned.lists.order.data());
  EXPECT_EQ(view.listed, owned.lists.valid_kernel.data());
  EXPECT_EQ(view.listed_begin, owned.lists.valid_kernel_seg.data());
  EXPECT_EQ(view.tile_index, owned.lists.tile_index.data());
  EXPECT_EQ(view.tile_order, owned.tile_order.data());
}

TEST(RowSegments, AreFewerThanTheOffsetsAndThePassHolds) {
  EXPECT_EQ(row_segments(100, 27), 1);
  EXPECT_EQ(row_segments(100000, 1), 1);
  for (const int64_t rows : {0, 1, 2048, 9000, 40000, 4000000})
    for (const int kernel_volume : {1, 2, 8, 27, 343}) {
      const int segments = row_segments(rows, kernel_volume);
      EXPECT_GE(segments, 1);
      EXPECT_LE(segments, std::min(kernel_volume, RowPass::kMostSegments));
    }
}

}  // namespace
}  // namespace spb::plans
