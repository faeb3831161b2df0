// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/row_copies.h"

#include <bit>
#include <cstring>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "gpu/buffer.h"
#include "kernels/tf32.h"

namespace spb::plans {
namespace {

/// Every kind of bits below those of tf32, ties too; rounds up into the next power of two.
std::vector<float> finely_grained(int64_t count) {
  std::vector<float> values(static_cast<size_t>(count));
  for (uint32_t i = 0; i < values.size(); ++i)
    values[i] =
        std::bit_cast<float>((i % 2 ? 0xBF800000u : 0x3F800000u) + i % 3 + i * 0x1000u % 0x800000u);
  if (count > 0) values[0] = std::bit_cast<float>(0x3FFFFFFFu);
  return values;
}

struct Memory {
  gpu::Stream stream;
  gpu::Allocator allocator{gpu::Guards::page()};

  template <class T>
  gpu::Buffer<T> upload(const std::vector<T>& values) {
    gpu::Buffer<T> buffer(allocator, static_cast<int64_t>(values.size()), gpu::Tag::input);
    buffer.upload(values, stream);
    return buffer;
  }
  template <class T>
  gpu::Buffer<T> space(int64_t count) {
    return {allocator, count, gpu::Tag::workspace};
  }
  bool is_whole() { return allocator.damaged_guards(stream).empty(); }
};

// Channels whose rows are made of words of 16, 8 and 4 bytes.
constexpr int kChannels[] = {1, 2, 4, 6, 12, 35, 136};

TEST(GatherRows, RoundsToTf32OrLeavesEveryBit) {
  for (const bool round : {false, true})
    for (const int channels : kChannels) {
      SCOPED_TRACE(std::to_string(channels) + (round ? " rounded" : ""));
      Memory memory;
      const std::vector<float> from = finely_grained(int64_t{50} * channels);
      const std::vector<int32_t> rows = {3, -1, 49, 0, 0, 17, -1};
      const gpu::Buffer<float> source = memory.upload(from);
      const gpu::Buffer<int32_t> index = memory.upload(rows);
      gpu::Buffer<float> to = memory.space<float>(index.size() * channels);
      gather_rows({4, round}, source.data(), index.data(), index.size(), channels, to.data(),
                  memory.stream);
      const std::vector<float> found = to.download(memory.stream);
      for (size_t i = 0; i < found.size(); ++i) {
        const int32_t row = rows[i / size_t(channels)];
        const float value =
            row < 0 ? 0 : from[size_t(row) * size_t(channels) + i % size_t(channels)];
        ASSERT_EQ(found[i], round ? nearest_tf32(value) : value) << i;
      }
      EXPECT_TRUE(memory.is_whole());
    }
}

TEST(GatherRows, LeavesEveryBitOfHalves) {
  for (const int channels : kChannels) {
    Memory memory;
    std::vector<uint16_t> from(size_t(channels) * 9);
    for (size_t i = 0; i < from.size(); ++i) from[i] = static_cast<uint16_t>(i * 40503);
    const std::vector<int32_t> rows = {8, 0, -1, 5};
    const gpu::Buffer<uint16_t> source = memory.upload(from);
    const gpu::Buffer<int32_t> index = memory.upload(rows);
    gpu::Buffer<uint16_t> to = memory.space<uint16_t>(index.size() * channels);
    gather_rows({2}, source.data(), index.data(), index.size(), channels, to.data(), memory.stream);
    const std::vector<uint16_t> found = to.download(memory.stream);
    for (size_t i = 0; i < found.size(); ++i) {
      const int32_t row = rows[i / size_t(channels)];
      ASSERT_EQ(found[i],
                row < 0 ? 0 : from[size_t(row) * size_t(channels) + i % size_t(channels)]);
    }
    EXPECT_TRUE(memory.is_whole());
  }
}

TEST(RoundTf32, RoundsEachToNearest) {
  for (const int64_t count : {0, 1, 1000}) {
    Memory memory;
    const std::vector<float> from = finely_grained(count);
    const gpu::Buffer<float> source = memory.upload(from);
    gpu::Buffer<float> to = memory.space<float>(count);
    round_tf32(source.data(), count, to.data(), memory.stream);
    const std::vector<float> found = to.download(memory.stream);
    for (size_t i = 0; i < found.size(); ++i) ASSERT_EQ(found[i], nearest_tf32(from[i]));
    EXPECT_TRUE(memory.is_whole());
  }
}

TEST(PermuteWeights, RoundsToTf32OrLeavesEveryBit) {
  constexpr int kOut = 5, kVolume = 27;
  for (const bool round : {false, true})
    for (const bool mirrored : {false, true})
      for (const int c_in : kChannels) {
        Memory memory;
        const std::vector<float> from = finely_grained(int64_t{kOut} * kVolume * c_in);
        const gpu::Buffer<float> weights = memory.upload(from);
        gpu::Buffer<float> to = memory.space<float>(weights.size());
        permute_weights({4, round}, weights.data(), kOut, kVolume, c_in, mirrored, to.data(),
                        memory.stream);
        const std::vector<float> found = to.download(memory.stream);
        for (int o = 0; o < kVolume; ++o)
          for (int co = 0; co < kOut; ++co)
            for (int ci = 0; ci < c_in; ++ci) {
              const int taken = mirrored ? kVolume - 1 - o : o;
              const float value = from[size_t((co * kVolume + taken) * c_in + ci)];
              ASSERT_EQ(found[size_t((o * kOut + co) * c_in + ci)],
                        round ? nearest_tf32(value) : value);
            }
        EXPECT_TRUE(memory.is_whole());
      }
}

}  // namespace
}  // namespace spb::plans
