// SPDX-License-Identifier: Apache-2.0
// Banks of kernels that run on all devices; docs/kernels.md, section 6.
#include <algorithm>
#include <bit>

#include "gpu/mma/mma_fma.cuh"
#include "kernels/banks.h"
#include "kernels/depthwise/layout.cuh"
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

}  // namespace
}  // namespace spb::plans
