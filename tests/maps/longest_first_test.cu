// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <numeric>
#include <random>

#include "device_fixture.h"
#include "maps/lists/list_parts.h"

namespace spb::maps {
namespace {

class LongestFirst : public DeviceTest {
 protected:
  std::vector<int32_t> sorted(const std::vector<int64_t>& lengths, int kernel_volume,
                              int segments = 1) {
    TileLists lists;
    lists.segments = segments;
    lists.tiles = static_cast<int64_t>(lengths.size()) / segments;
    std::vector<int64_t> begin{5};  // counts of other lists come before
    for (const int64_t length : lengths) begin.push_back(begin.back() + length);
    gpu::Buffer<int64_t> counts(allocator_, static_cast<int64_t>(begin.size()), gpu::Tag::plan);
    counts.upload(begin, stream_);
    return download(sort_by_length(lists, counts.data(), kernel_volume, context()));
  }
};

TEST_F(LongestFirst, TilesGoByFallingLengthThenByNumber) {
  EXPECT_EQ(sorted({3, 27, 0, 3, 26, 27}, 27), (std::vector<int32_t>{1, 5, 4, 0, 3, 2}));
  EXPECT_EQ(sorted({}, 27), std::vector<int32_t>());
  EXPECT_EQ(sorted({1, 0, 1}, 1), (std::vector<int32_t>{0, 2, 1}));
  EXPECT_EQ(sorted({1, 9, 0, 3, 14, 3}, 27, 2), (std::vector<int32_t>{1, 0, 2, 1, 0, 2}));

  std::mt19937 random(6);
  for (const int kernel_volume : {1, 27, 343, 511, 512})
    for (const size_t tiles : {size_t{5}, size_t{1000}, size_t{2048}, size_t{2049}}) {
      std::vector<int64_t> lengths(tiles);
      for (int64_t& length : lengths) length = random() % (kernel_volume + 1);
      std::vector<int32_t> expected(lengths.size());
      std::iota(expected.begin(), expected.end(), 0);
      std::stable_sort(expected.begin(), expected.end(), [&](int32_t a, int32_t b) {
        return lengths[static_cast<size_t>(a)] > lengths[static_cast<size_t>(b)];
      });
      EXPECT_EQ(sorted(lengths, kernel_volume), expected)
          << kernel_volume << " offsets, " << tiles << " tiles";
    }
}

TEST_F(LongestFirst, EachSegmentHasAnOrderOfItsOwn) {
  std::mt19937 random(7);
  for (const int segments : {2, 3, 16})
    for (const size_t tiles : {size_t{1}, size_t{128}, size_t{129}, size_t{700}}) {
      std::vector<int64_t> lengths(tiles * static_cast<size_t>(segments));
      for (int64_t& length : lengths) length = random() % 28;
      std::vector<int32_t> expected(lengths.size());
      for (size_t first = 0; first < lengths.size(); first += tiles) {
        const auto begin = expected.begin() + static_cast<std::ptrdiff_t>(first),
                   end = begin + static_cast<std::ptrdiff_t>(tiles);
        std::iota(begin, end, 0);
        std::stable_sort(begin, end, [&](int32_t a, int32_t b) {
          return lengths[first + static_cast<size_t>(a)] > lengths[first + static_cast<size_t>(b)];
        });
      }
      EXPECT_EQ(sorted(lengths, 27, segments), expected)
          << segments << " segments of " << tiles << " tiles";
    }
}

}  // namespace
}  // namespace spb::maps
