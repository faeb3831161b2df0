// SPDX-License-Identifier: Apache-2.0
// Banks of kernels that run on all devices; docs/kernels.md, section 6.
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

/// Widest vectors: 16 bytes of a thread, eight threads to a row.
template <class T>
BankWays depthwise_ways(int offsets) {
  constexpr int kWidth = 16 / sizeof(T), kSlab = kWidth * kDepthwiseLanes;
  const int pitch = weight_pitch<T>(kSlab);
  return {ways(32, 16, [](int t) { return t % kDepthwiseLanes * kWidth * sizeof(T); }),
          ways(32, sizeof(T), [&](int i) {
            const SlabWeight weight = weight_of(i, offsets);
            return weight_place(weight.offset, weight.channel, pitch) * sizeof(T);
          })};
}

// Weights are loaded once for a run of tiles, and read for each pair.
TEST(Banks, OfDepthwiseWeights) {
  EXPECT_EQ(depthwise_ways<float>(27), (BankWays{1, 4}));
  EXPECT_EQ(depthwise_ways<uint16_t>(27), (BankWays{1, 4}));
}

}  // namespace
}  // namespace spb::plans
