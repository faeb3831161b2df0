// SPDX-License-Identifier: Apache-2.0
// The second launch of wgrad, which adds up slices, with a tile of its own.
#include <gtest/gtest.h>
#include <vector>

#include "gpu/buffer.h"
#include "kernels/wgrad/output.cuh"

namespace spb::plans {
namespace {

/// Groups, fours of a thread and splits of its threads are different numbers.
struct SumTile {
  static constexpr int kTileM = 96, kTileN = 64, kThreads = 128, kGroups = 6, kGroupSize = 8;
  static constexpr int kSums = kTileM * kTileN;
  /// Numbered as a slice holds them.
  static __device__ int number_of(int group, int thread, int i) {
    return ((group * (kGroupSize / 4) + i / 4) * kThreads + thread) * 4 + i % 4;
  }
  template <class E>
  static __device__ void write(const GradientTile& tile, int group, const float (&sums)[kGroupSize],
                               int thread) {
    for (int i = 0; i < kGroupSize; ++i) {
      const int at = number_of(group, thread, i);
      static_cast<float*>(tile.first)[at / kTileN * tile.row_pitch + at % kTileN] = sums[i];
    }
  }
};

int parts_of(int64_t slices, int sums) {
  WgradParams params;
  params.slice_count = slices;
  params.sum_count = sums;
  return sum_parts<SumTile>(params);
}

TEST(WgradSums, HaveMorePartsWhereUnitsHaveManySlices) {
  EXPECT_EQ(kSumParts<SumTile>, 4);
  EXPECT_EQ(kMostSumParts<SumTile>, 16);
  EXPECT_EQ(parts_of(0, 0), 4);
  EXPECT_EQ(parts_of(7, 1), 4);
  EXPECT_EQ(parts_of(8, 1), 8);
  EXPECT_EQ(parts_of(9, 1), 16);
  EXPECT_EQ(parts_of(23, 3), 4);
  EXPECT_EQ(parts_of(24, 3), 8);
  EXPECT_EQ(parts_of(25, 3), 16);
  EXPECT_EQ(parts_of(5000, 3), 16);
}

/// Units, one for each offset, of so many slices.
class WgradSlices : public testing::TestWithParam<std::vector<int>> {};

TEST_P(WgradSlices, AreAddedUpWhereTheyBelong) {
  const std::vector<int>& slices_of = GetParam();
  const auto units = static_cast<int>(slices_of.size());
  std::vector<WgradSum> sums;
  std::vector<float> partials;
  std::vector<float> wanted(static_cast<size_t>(units * SumTile::kSums));
  for (int unit = 0; unit < units; ++unit) {
    const auto first = static_cast<int32_t>(partials.size() / SumTile::kSums);
    sums.push_back({.offset = unit, .first_slice = first, .slices = slices_of[unit]});
    for (int slice = 0; slice < slices_of[unit]; ++slice)
      for (int at = 0; at < SumTile::kSums; ++at) {
        const auto value = static_cast<float>((at * 7 + slice * 13 + unit * 29) % 101 - 50);
        partials.push_back(value);
        const int row = at / SumTile::kTileN, column = at % SumTile::kTileN;
        wanted[static_cast<size_t>((row * units + unit) * SumTile::kTileN + column)] += value;
      }
  }
  gpu::Stream stream;
  gpu::Allocator memory;
  gpu::Buffer<WgradSum> device_sums(memory, units, gpu::Tag::plan);
  gpu::Buffer<float> slices(memory, static_cast<int64_t>(partials.size()), gpu::Tag::workspace),
      gw(memory, static_cast<int64_t>(wanted.size()), gpu::Tag::output);
  device_sums.upload(sums, stream);
  slices.upload(partials, stream);
  WgradParams params;
  params.kernel_volume = units;
  params.c_in = SumTile::kTileN;
  params.c_out = SumTile::kTileM;
  params.gw = gw.data();
  params.sums = device_sums.data();
  params.sum_count = units;
  params.slice_count = static_cast<int64_t>(partials.size()) / SumTile::kSums;
  params.partials = slices.data();
  launch_wgrad_sums<gpu::F32, SumTile>(params, stream);
  EXPECT_EQ(gw.download(stream), wanted);
}

INSTANTIATE_TEST_SUITE_P(Counts, WgradSlices,
                         testing::Values(std::vector{1}, std::vector{2, 7, 1}, std::vector{8, 8},
                                         std::vector{9}, std::vector{16, 17, 3},
                                         std::vector{40, 1, 33, 15}));

}  // namespace
}  // namespace spb::plans
