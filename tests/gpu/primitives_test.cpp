// SPDX-License-Identifier: Apache-2.0
#include "gpu/primitives.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <random>
#include <vector>

#include "gpu/buffer.h"

namespace spb::gpu {
namespace {

// Sizes about the tiles of radix sorts and scans, and one of many tiles.
constexpr int64_t kSizes[] = {0, 1, 2, 255, 256, 257, 4096, 100'003, 500'000};

template <class Key>
std::vector<Key> random_keys(int64_t n, int key_bits) {
  std::mt19937_64 random(static_cast<uint64_t>(n) + 1);
  std::vector<Key> keys(static_cast<size_t>(n));
  for (Key& key : keys) key = static_cast<Key>(random() >> (64 - key_bits));
  return keys;
}

class Primitives : public testing::Test {
 protected:
  template <class Key>
  void check_pairs(int64_t n, int key_bits) {
    const std::vector<Key> keys = random_keys<Key>(n, key_bits);
    std::vector<int32_t> order(keys.size());
    std::iota(order.begin(), order.end(), 0);
    Buffer<Key> device_keys(memory_, n, Tag::plan);
    Buffer<int32_t> device_values(memory_, n, Tag::plan);
    device_keys.upload(keys, stream_);
    device_values.upload(order, stream_);
    sort_pairs(device_keys.data(), device_values.data(), n, key_bits, memory_, stream_);
    std::stable_sort(order.begin(), order.end(),
                     [&](int32_t a, int32_t b) { return keys[a] < keys[b]; });
    std::vector<Key> sorted;
    for (const int32_t i : order) sorted.push_back(keys[i]);
    EXPECT_EQ(device_keys.download(stream_), sorted) << n << " keys, " << key_bits << " bits";
    EXPECT_EQ(device_values.download(stream_), order) << n << " keys, " << key_bits << " bits";
    EXPECT_EQ(memory_.counts().live_by_tag[static_cast<int>(Tag::workspace)], 0);

    Buffer<Key> other_keys(memory_, n, Tag::plan);
    Buffer<int32_t> other_values(memory_, n, Tag::plan);
    device_keys.upload(keys, stream_);
    std::vector<int32_t> rows(keys.size());
    std::iota(rows.begin(), rows.end(), 0);
    device_values.upload(rows, stream_);
    const int result =
        sort_pairs({device_keys.data(), other_keys.data()},
                   {device_values.data(), other_values.data()}, n, key_bits, memory_, stream_);
    EXPECT_EQ((result ? other_keys : device_keys).download(stream_), sorted);
    EXPECT_EQ((result ? other_values : device_values).download(stream_), order);
  }
  Stream stream_;
  Allocator memory_;
};

TEST_F(Primitives, PairsAreSortedStably) {
  for (const int64_t n : kSizes)
    for (const int key_bits : {1, 5, 12, 27, 32}) check_pairs<uint32_t>(n, key_bits);
  for (const int64_t n : kSizes)
    for (const int key_bits : {3, 33, 63, 64}) check_pairs<uint64_t>(n, key_bits);
}

TEST_F(Primitives, KeysAreSorted) {
  for (const int64_t n : kSizes) {
    std::vector<uint64_t> keys = random_keys<uint64_t>(n, 50);
    Buffer<uint64_t> device(memory_, n, Tag::plan);
    device.upload(keys, stream_);
    sort_keys(device.data(), n, 50, memory_, stream_);
    std::sort(keys.begin(), keys.end());
    EXPECT_EQ(device.download(stream_), keys) << n;
  }
}

TEST_F(Primitives, BitsAboveAreIgnored) {
  Buffer<uint32_t> keys(memory_, 4, Tag::plan);
  Buffer<int32_t> values(memory_, 4, Tag::plan);
  keys.upload(std::vector<uint32_t>{0x70, 0x11, 0x20, 0x01}, stream_);
  values.upload(std::vector<int32_t>{0, 1, 2, 3}, stream_);
  sort_pairs(keys.data(), values.data(), 4, 4, memory_, stream_);
  EXPECT_EQ(values.download(stream_), (std::vector<int32_t>{0, 2, 1, 3}));
}

TEST_F(Primitives, ScanIsExclusiveAndWorksInPlace) {
  for (const int64_t n : kSizes) {
    std::vector<int64_t> values(static_cast<size_t>(n));
    for (int64_t i = 0; i < n; ++i) values[i] = (i * 7919) % 1000 - 300 + (int64_t{1} << 33);
    std::vector<int64_t> expected(values.size());
    std::exclusive_scan(values.begin(), values.end(), expected.begin(), int64_t{0});
    Buffer<int64_t> in(memory_, n, Tag::plan), out(memory_, n, Tag::plan);
    in.upload(values, stream_);
    exclusive_scan(in.data(), out.data(), n, memory_, stream_);
    EXPECT_EQ(out.download(stream_), expected) << n;
    exclusive_scan(in.data(), in.data(), n, memory_, stream_);
    EXPECT_EQ(in.download(stream_), expected) << n << ", in place";
  }
}

}  // namespace
}  // namespace spb::gpu
