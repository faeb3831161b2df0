// SPDX-License-Identifier: Apache-2.0
// Banks of kernels that run on all devices; docs/kernels.md, section 6.
#include <algorithm>
#include <bit>
#include <set>

#include "gpu/mma/mma_fma.cuh"
#include "kernels/banks.h"
#include "kernels/depthwise/halo.cuh"
#include "kernels/gather_gemm/portable/tiles.h"

namespace spb::plans {
namespace {

/// One element at a time, as the source says it: a compiler may take several.
template <class Mma>
void count_portable(Counted& counted, const char* kernel, bool wgrad) {
  static typename Mma::Stage stage;
  const auto at = [](const float& element) {
    return static_cast<uint64_t>(&element - &stage.a[0][0]) * sizeof(float);
  };
  for (int j = 0; j < Mma::kColumns; ++j)
    count_load(counted, kernel,
               ways(Mma::kThreads, 4, [&](int t) { return at(stage.b[0][Mma::column(t, j)]); }));
  for (int i = 0; i < Mma::kRows; ++i)
    count_load(counted, kernel,
               ways(Mma::kThreads, 4, [&](int t) { return at(stage.a[Mma::row(t, i)][0]); }));
  const auto store = [&](auto address) {
    count_store(counted, kernel, ways(Mma::kThreads, 4, address));
  };
  if (wgrad) {  // a thread has a pair, or a part of its channels
    const int parts = Mma::kThreads / Mma::kTileK;
    store([&](int t) {
      return at(stage.a[t / Mma::kTileK * (Mma::kTileM / parts)][t % Mma::kTileK]);
    });
    store([&](int t) {
      return at(stage.b[t % Mma::kTileK][t / Mma::kTileK * (Mma::kTileN / parts)]);
    });
  } else {  // a row of A, a column of B
    store([&](int t) { return at(stage.a[t][0]); });
    store([&](int t) { return at(stage.b[t / Mma::kTileN][t % Mma::kTileN]); });
  }
}

TEST(Banks, OfPortableKernels) {
  Counted counted;
  count_portable<gpu::MmaFma<64, 32, 32, 4, 8>>(counted, "fma_64x32x32", false);
  count_portable<gpu::MmaFma<64, 64, 32, 8, 8>>(counted, "fma_64x64x32", false);
  count_portable<gpu::MmaFma<32, 32, 32, 4, 8>>(counted, "fma_32x32x32", true);
  count_portable<gpu::MmaFma<64, 64, 32, 8, 8>>(counted, "fma_64x64x32", true);
  for (const KernelVariant& variant : kPortableRowTiles) expect_listed(variant, counted);
  expect_wgrad_listed(0, counted);
}

/// Widest vectors: 16 bytes of a row, eight threads to it. Weights are fp32.
template <class T>
BankWays depthwise_ways(int offsets) {
  constexpr int kWidth = 16 / sizeof(T);
  using Layout = SlabLayout<kWidth>;
  const Layout layout(std::countr_zero(static_cast<unsigned>(kDepthwiseLanes)));
  const auto at = [&](int offset, int channel) {
    return static_cast<uint64_t>(layout.place(offset, channel)) * sizeof(float);
  };
  BankWays worst{1, ways(offsets, sizeof(float), [&](int t) { return at(t, 0); })};
  for (int group = 0; group < kWidth; group += Layout::kGroup)
    worst.loads = std::max(worst.loads, ways(32, Layout::kGroup * sizeof(float), [&](int t) {
                             return at(0, t % kDepthwiseLanes * kWidth + group);
                           }));
  return worst;
}

// Weights are loaded once for a run of tiles, a channel's offsets by the lanes of a warp, and read
// for each pair.
TEST(Banks, OfDepthwiseWeights) {
  EXPECT_EQ(depthwise_ways<float>(27), (BankWays{1, 4}));
  EXPECT_EQ(depthwise_ways<uint16_t>(27), (BankWays{1, 4}));
}

// Of a group that has all colors in each run of eight positions, in any slots of their parity, and
// of absent rows, which lead to slots 0 and 1: how often groups do is a matter of maps/halo.
TEST(Banks, OfDepthwiseHalos) {
  constexpr int kChunks = HaloPlaces::kChunks;
  const auto ways_of = [](int threads, auto position_of) {
    int worst = 0;
    for (const bool absent : {false, true})
      worst = std::max(worst, ways(threads, HaloPlaces::kChunkBytes, [&](int t) {
                         const auto position = static_cast<uint32_t>(position_of(t / kChunks));
                         const uint32_t color = position % 8, parity = color / 4;
                         const uint32_t slot = absent ? parity : 2 + position * 6 + parity;
                         return HaloPlaces::row(0, slot * kChunks + color % 4,
                                                static_cast<uint32_t>(t % kChunks));
                       }));
    return worst;
  };
  for (int row = 0; row < 4; ++row)
    EXPECT_EQ(ways_of(64, [&](int quad) { return quad * 4 + row; }), 1);
  std::set<int> seen;
  for (int step = 0; step < maps::kHaloGroupRows / (2 * kHaloPairs); ++step)
    for (int row = 0; row < 2; ++row) {
      EXPECT_EQ(ways_of(32, [&](int pair) { return pair_position(pair, step) + row; }), 1);
      for (int pair = 0; pair < kHaloPairs; ++pair) seen.insert(pair_position(pair, step) + row);
    }
  EXPECT_EQ(seen.size(), static_cast<size_t>(maps::kHaloGroupRows));
  EXPECT_EQ(*seen.rbegin(), maps::kHaloGroupRows - 1) << "each position once";
}

}  // namespace
}  // namespace spb::plans
