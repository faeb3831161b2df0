// SPDX-License-Identifier: Apache-2.0
// Sorting within groups, on every vendor, also where another way is faster.
#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <vector>

#include "both_orders.h"
#include "gpu/buffer.h"
#include "gpu/primitives.h"

namespace spb::gpu {
namespace {

class GroupSort : public BothOrders {
 protected:
  /// Sorts keys of which many are alike.
  void check(const RowGroups& groups, int key_bits, uint32_t different) {
    SCOPED_TRACE(std::to_string(groups.segments) + " x " + std::to_string(groups.rows) +
                 " rows in windows of " + std::to_string(groups.window) + ", " +
                 std::to_string(key_bits) + " bits, " + std::to_string(different) + " keys");
    std::mt19937 random(static_cast<uint32_t>(groups.rows) + different);
    const auto spread = static_cast<uint32_t>(random()) | 1;
    const uint32_t used = static_cast<uint32_t>((uint64_t{1} << key_bits) - 1);
    std::vector<uint32_t> keys(static_cast<size_t>(groups.rows * groups.segments));
    for (uint32_t& key : keys) key = static_cast<uint32_t>(random()) % different * spread;
    std::vector<int32_t> expected;
    for (int32_t segment = 0; segment < groups.segments; ++segment) {
      const uint32_t* of_segment = keys.data() + segment * groups.rows;
      for (int64_t begin = 0; begin < groups.rows; begin += groups.window) {
        std::vector<int32_t> rows(
            static_cast<size_t>(std::min(groups.window, groups.rows - begin)));
        std::iota(rows.begin(), rows.end(), static_cast<int32_t>(begin));
        std::stable_sort(rows.begin(), rows.end(), [&](int32_t a, int32_t b) {
          return (of_segment[a] & used) < (of_segment[b] & used);
        });
        expected.insert(expected.end(), rows.begin(), rows.end());
      }
    }
    const auto n = static_cast<int64_t>(keys.size());
    Buffer<uint32_t> first_keys(memory_, n, Tag::plan), other_keys(memory_, n, Tag::plan);
    Buffer<int32_t> first_rows(memory_, n, Tag::plan), other_rows(memory_, n, Tag::plan);
    Buffer<uint32_t> zeros(memory_, sort_groups_zeros(groups, key_bits), Tag::workspace);
    first_keys.upload(keys, stream_);
    fill_bytes(zeros.data(), 0, zeros.bytes(), stream_);
    const int result =
        sort_groups({first_keys.data(), other_keys.data()}, {first_rows.data(), other_rows.data()},
                    groups, key_bits, zeros.data(), stream_);
    EXPECT_EQ((result ? other_rows : first_rows).download(stream_), expected);
    EXPECT_TRUE(memory_.damaged_guards(stream_).empty());
  }
  Stream stream_;
  Allocator memory_{Guards::page()};
};

TEST_P(GroupSort, EachGroupIsSortedStably) {
  for (const int64_t rows : {1, 511, 2048, 2049, 9000})
    for (const int key_bits : {1, 9, 10, 26, 32}) check({rows, rows, 1}, key_bits, 1 << 30);
  for (const uint32_t different : {1u, 2u, 5000u}) check({5000, 5000, 1}, 26, different);
  for (const int64_t window : {500, 2048, 2049, 4096}) check({4500, window, 1}, 26, 40);
  check({4500, 2100, 3}, 13, 1000);
  check({0, 1, 2}, 13, 1);
  // In higher tiles.
  for (const int64_t rows : {32'768, 32'769})
    for (const int key_bits : {9, 26, 32}) check({rows, rows, 1}, key_bits, 1 << 30);
  for (const int64_t window : {2049, 4096, 20'000}) check({40'000, window, 1}, 26, 9000);
  check({12'000, 2100, 3}, 13, 1000);
  check({600'000, 600'000, 1}, 12, 3000);
}

TEST_P(GroupSort, ManyTilesWaitForEachOther) {
  if (!sorts_groups({1'100'000, 1'100'000, 1})) GTEST_SKIP() << "slow here, and no vendor's choice";
  for (int i = 0; i < 20; ++i)
    for (const int64_t window : {1'100'000, 1 << 16}) check({1'100'000, window, 1}, 26, 7000);
}

SPB_BOTH_ORDERS(GroupSort);

}  // namespace
}  // namespace spb::gpu
