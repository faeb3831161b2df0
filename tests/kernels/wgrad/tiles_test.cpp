// SPDX-License-Identifier: Apache-2.0
#include "kernels/wgrad/tiles.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <string_view>
#include <utility>

#include "gpu/mma/matrix_cores_in_use.h"

namespace spb::plans {
namespace {

std::string chosen(WgradTask task, const char* chosen = nullptr) {
  KernelVariant variant{};
  variant.name = chosen;
  return kWgradTiles[choose_wgrad_tile(task, chosen ? &variant : nullptr)].variant.name;
}

constexpr int kA100 = 80, kH200 = 90, kB200 = 100, kMultiprocessors = 132;

WgradTask task(Dtype dtype, int c_out, int c_in, bool split = true, int architecture = kA100) {
  return {dtype, c_out, c_in, 27, true, split, architecture, kMultiprocessors};
}

WgradTask of_rows(int64_t rows, WgradTask task) {
  task.rows = rows;
  return task;
}

TEST(WgradTiles, GrowWithTheChannels) {
  EXPECT_EQ(chosen(task(Dtype::f16, 32, 32)), "mma_32x32x32_s4");
  EXPECT_EQ(chosen(task(Dtype::f16, 64, 64)), "mma_64x64x64_s3");
  EXPECT_EQ(chosen(task(Dtype::bf16, 128, 128)), "mma_128x128x32_s4");
  EXPECT_EQ(chosen(task(Dtype::f16, 256, 256)), "mma_128x256x32_s5");
  EXPECT_EQ(chosen(task(Dtype::tf32, 256, 256)), "mma_128x128x32_s4_tf32");
  EXPECT_EQ(chosen(task(Dtype::f32, 256, 256)), "fma_128x128x32_s3");
}

// What a block has most is as little as with all blocks, and the sums are fewer.
TEST(WgradTiles, ShareFewHalosEvenly) {
  const auto blocks = [](std::string_view name, int64_t tiles) {
    const WgradTile& tile = *std::ranges::find_if(
        kWgradTiles, [&](const WgradTile& row) { return row.variant.name == name; });
    return halo_wgrad_blocks(tile, 27, tiles, kMultiprocessors);
  };
  constexpr const char* kAlone = "halo_mma_32x32x256_s2";
  for (const auto& [tiles, expected] : {std::pair{0, 0},
                                        {1, 1},
                                        {78, 78},
                                        {132, 132},
                                        {133, 67},
                                        {309, 103},
                                        {512, 128},
                                        {1056, 132},
                                        {1057, 132},
                                        {4010, 132}})
    EXPECT_EQ(blocks(kAlone, tiles), expected) << tiles;
  // Three blocks share a tile.
  constexpr const char* kTogether = "halo_wgmma_64x64x256_s2";
  for (const auto& [tiles, expected] : {std::pair{0, 0}, {30, 30}, {78, 44}, {309, 44}, {4010, 44}})
    EXPECT_EQ(blocks(kTogether, tiles), expected) << tiles;
}

// Where lists stay whole; others are as fast by pairs that are cut.
TEST(WgradTiles, ReadHalosOfFewChannels) {
  const auto whole = [](int c_out, int c_in, int architecture = kA100) {
    WgradTask of_halos = task(Dtype::f16, c_out, c_in, false, architecture);
    of_halos.halos = true;
    return of_halos;
  };
  EXPECT_EQ(chosen(whole(16, 8)), "halo_mma_16x16x256_s2");
  EXPECT_EQ(chosen(whole(32, 16, kH200)), "halo_mma_32x32x256_s2");
  EXPECT_EQ(chosen(whole(40, 16)).find("halo"), std::string::npos);
  for (const int channels : {40, 64})
    EXPECT_EQ(chosen(whole(channels, 16, kH200)), "halo_wgmma_64x64x256_s2");
  EXPECT_EQ(chosen(whole(72, 16, kH200)).find("halo"), std::string::npos);
  WgradTask pairs = whole(16, 16);
  pairs.halos = false;
  EXPECT_EQ(chosen(pairs).find("halo"), std::string::npos);
  WgradTask groups = whole(16, 16);
  groups.groups = 2;
  EXPECT_EQ(chosen(groups).find("halo"), std::string::npos);
  constexpr int kAda = 89;  // whose blocks have 99 KB
  EXPECT_EQ(chosen(whole(16, 16, kAda)).find("halo"), std::string::npos);
}

TEST(WgradTiles, Of3xtf32NeedTensorCores) {
  EXPECT_EQ(chosen(task(Dtype::tf32x3, 256, 256)), "mma_128x128x32_s4_3xtf32");
  EXPECT_EQ(chosen(task(Dtype::tf32x3, 64, 64, true, kH200)), "mma_64x64x32_s3_3xtf32");
  EXPECT_EQ(chosen(task(Dtype::tf32x3, 17, 64, true, kB200)), "mma_64x64x32_s4_3xtf32_any");
  for (const int channels : {1, 64})
    for (const int architecture : {0, 75})
      EXPECT_TRUE(
          rank_wgrad_tiles(task(Dtype::tf32x3, channels, channels, true, architecture)).empty());
  for (const int tile : rank_wgrad_tiles(task(Dtype::tf32x3, 64, 64)))
    EXPECT_EQ(wgrad_mma_depth(tile, Dtype::tf32x3), 8);
}

TEST(WgradTiles, UseWarpgroupsOnHopperAlone) {
  EXPECT_EQ(chosen(task(Dtype::f16, 96, 96, true, kH200)), "wgmma_128x128x64_s6");
  EXPECT_EQ(chosen(task(Dtype::f16, 256, 256, true, kH200)), "wgmma_128x256x64_s4");
  const auto of_few = [](int64_t rows) {
    return chosen(of_rows(rows, task(Dtype::f16, 256, 256, true, kH200)));
  };
  EXPECT_EQ(of_few(1'999), "wgmma_128x256x64_s4");  // by one warpgroup that gathers
  EXPECT_EQ(of_few(2'000), "wgmma_128x256x64_s4_2gathers");
  EXPECT_EQ(chosen(task(Dtype::tf32, 256, 256, true, kH200)), "wgmma_128x256x32_s4_tf32");
  EXPECT_EQ(chosen(task(Dtype::tf32, 128, 128, true, kH200)), "wgmma_128x128x32_s6_tf32");
  EXPECT_EQ(chosen(task(Dtype::tf32, 64, 64, true, kH200)), "mma_64x64x32_s3_tf32");
  EXPECT_EQ(chosen(task(Dtype::tf32x3, 256, 256, true, kH200)), "wgmma_128x256x32_s3_3xtf32");
  EXPECT_EQ(chosen(task(Dtype::tf32x3, 128, 128, true, kH200)), "wgmma_128x128x32_s4_3xtf32");
  EXPECT_EQ(chosen(task(Dtype::tf32, 256, 258, true, kH200)), "mma_64x64x32_s4_tf32_any");
  EXPECT_EQ(chosen(task(Dtype::f16, 256, 256, true, kB200)), "mma_128x256x32_s5");
}

TEST(WgradTiles, ShareRowsAmongOffsetsWhereChannelsAreFew) {
  EXPECT_EQ(chosen(of_rows(1'000'000, task(Dtype::f16, 64, 64, true, kH200))),
            "wgmma_64x256x64_s5_4offsets");
  EXPECT_EQ(chosen(of_rows(1'000'000, task(Dtype::bf16, 128, 128, true, kH200))),
            "wgmma_128x256x64_s4_2offsets");
  EXPECT_EQ(chosen(of_rows(1'000'000, task(Dtype::tf32, 64, 64, true, kH200))),
            "wgmma_64x256x32_s5_tf32_4offsets");
  EXPECT_EQ(chosen(of_rows(100'000, task(Dtype::tf32x3, 64, 64, true, kH200))),
            "wgmma_64x128x32_s6_3xtf32_2offsets");
  EXPECT_EQ(chosen(of_rows(1'000'000, task(Dtype::f16, 64, 64, true, kA100))),
            "mma_64x192x32_s4_3offsets");
  for (const Dtype other : {Dtype::tf32, Dtype::f32})
    EXPECT_EQ(chosen(of_rows(1'000'000, task(other, 64, 64, true, kA100))).find("offsets"),
              std::string::npos);
  WgradTask one = of_rows(1'000'000, task(Dtype::f16, 128, 128, true, kH200));
  one.kernel_volume = 1;
  EXPECT_EQ(chosen(one), "wgmma_128x128x64_s6");
  one.c_in = 96;
  EXPECT_EQ(chosen(one, "wgmma_128x256x64_s4_2offsets"), "wgmma_128x128x64_s6");
}

TEST(WgradTiles, ShareOnlyManyRowsAndThoseInCommon) {
  const WgradTask narrow = task(Dtype::f16, 64, 64, true, kH200);
  const WgradTask wide = task(Dtype::f16, 128, 128, true, kH200);
  EXPECT_EQ(chosen(of_rows(20'000, narrow)), "mma_64x64x64_s3");
  EXPECT_EQ(chosen(of_rows(200'000, narrow)), "wgmma_64x256x64_s5_4offsets");
  EXPECT_EQ(chosen(of_rows(200'000, wide)), "wgmma_128x128x64_s6");
  EXPECT_EQ(chosen(of_rows(200'000, wide), "wgmma_128x256x64_s4_2offsets"),
            "wgmma_128x256x64_s4_2offsets");
  WgradTask scattered = of_rows(1'000'000, narrow);
  scattered.shares_rows = false;
  EXPECT_EQ(chosen(scattered), "mma_64x64x64_s3");
  const WgradTask older = task(Dtype::f16, 64, 64, true, kA100);
  EXPECT_EQ(chosen(of_rows(999'999, older)), "mma_64x64x64_s3");
  EXPECT_EQ(chosen(of_rows(1'000'000, task(Dtype::f16, 128, 64))), "mma_128x64x32_s4");
  WgradTask of_all_rows = of_rows(20'000, older);
  of_all_rows.masked = false;
  EXPECT_EQ(chosen(of_all_rows), "mma_64x192x32_s4_3offsets");
  EXPECT_EQ(chosen(of_rows(200'000, older), "mma_64x192x32_s4_3offsets"),
            "mma_64x192x32_s4_3offsets");
}

TEST(WgradTiles, OfGroupsOfChannelsAreNoWarpgroups) {
  WgradTask groups = task(Dtype::f16, 256, 256, true, kH200);
  groups.groups = 2;
  EXPECT_EQ(chosen(groups), "mma_128x256x32_s5");
  EXPECT_EQ(unsupported(groups, kWgradTiles[kWgmma128x256].variant),
            "kernel wgmma_128x256x64_s4 takes one group of channels");
  groups.c_in = 64;
  EXPECT_EQ(unsupported(groups, kWgradTiles[kHalf64x192Of3].variant),
            "kernel mma_64x192x32_s4_3offsets takes one group of channels");
  // As many units as 64 tiles of one group are not few.
  groups = task(Dtype::f16, 256, 256, false);
  EXPECT_EQ(chosen(groups), "mma_128x64x32_s4");
  groups.groups = 64;
  EXPECT_EQ(chosen(groups), "mma_128x256x32_s5");
}

TEST(WgradTiles, TakeNarrowLoadsForOddChannels) {
  EXPECT_EQ(chosen(task(Dtype::f16, 17, 64)), "mma_64x64x32_s4_any");
  EXPECT_EQ(chosen(task(Dtype::tf32, 64, 3)), "mma_64x64x32_s4_tf32_any");
  EXPECT_EQ(chosen(task(Dtype::f32, 1, 1)), "fma_64x64x32_s4_any");
}

TEST(WgradTiles, ShrinkWhereUnitsAreFewAndWhole) {
  EXPECT_EQ(chosen(task(Dtype::f16, 256, 256, false)), "mma_128x64x32_s4");
  EXPECT_EQ(chosen(task(Dtype::f16, 1024, 1024, false)), "mma_128x256x32_s5");
}

// The fastest of those measured on an H200, without slices: 7.5, 2.3 and 0.7 ms on the sphere grid.
TEST(WgradTiles, AreTheMeasuredOnesWhereUnitsAreWhole) {
  EXPECT_EQ(chosen(task(Dtype::f16, 128, 128, false, kH200)), "mma_64x64x64_s3");
  EXPECT_EQ(chosen(task(Dtype::f16, 256, 256, false, kH200)), "wgmma_128x128x64_s6");
  EXPECT_EQ(chosen(task(Dtype::f16, 512, 512, false, kH200)), "wgmma_128x256x64_s4");
}

TEST(WgradTiles, RunEverywhere) {
  for (const int channels : {1, 3, 17, 64, 100, 1024})
    for (const int architecture : {0, 75}) {
      EXPECT_TRUE(
          chosen(task(Dtype::f16, channels, channels, true, architecture)).starts_with("fma_"));
    }
  // sm_89 has 99 KiB of shared memory per block.
  const WgradTask ada = task(Dtype::f16, 1024, 1024, true, 89);
  EXPECT_LE(wgrad_shared_bytes(kWgradTiles[choose_wgrad_tile(ada)]), 99 << 10);
}

// Nothing of them was measured: no plan takes them by itself.
TEST(WgradTiles, OfMatrixCoresAreTakenByNameAlone) {
  WgradTask cdna = task(Dtype::f16, 64, 64, true, 0);
  const KernelVariant& variant = kWgradTiles[kMatrixFirst].variant;
  EXPECT_EQ(unsupported(cdna, variant),
            std::string("kernel ") + variant.name + " " + kNeedsMatrixCores);
  EXPECT_EQ(chosen(cdna, variant.name), "fma_64x64x32");
  cdna.matrix_cores = gpu::matrix_cores_bit(gpu::MatrixCores::cdna);
  EXPECT_EQ(unsupported(cdna, variant), std::nullopt);
  EXPECT_EQ(chosen(cdna, variant.name), variant.name);
  EXPECT_EQ(chosen(cdna), "fma_64x64x32");
  for (const int tile : rank_wgrad_tiles(cdna)) EXPECT_LT(tile, int{kMatrixFirst});
  // xf32 is gfx942's alone.
  WgradTask tf32 = task(Dtype::tf32, 64, 64, true, 0);
  // Not by find_variant(), which knows what a build has.
  const auto is_xf32 = [](const WgradTile& tile) {
    return std::string_view(tile.variant.name) == "mfma_tf32_64x64x32_s1";
  };
  const KernelVariant& xf32 = std::ranges::find_if(kWgradTiles, is_xf32)->variant;
  tf32.matrix_cores = cdna.matrix_cores;
  EXPECT_EQ(unsupported(tf32, xf32), std::string("kernel ") + xf32.name + " " + kNeedsMatrixCores);
  tf32.matrix_cores |= gpu::matrix_cores_bit(gpu::MatrixCores::cdna3);
  EXPECT_EQ(unsupported(tf32, xf32), std::nullopt);
  EXPECT_EQ(wgrad_mma_depth(kMatrixFirst, Dtype::f16), 16);
  EXPECT_EQ(wgrad_mma_depth(kPortable64, Dtype::f16), 0);
}

TEST(WgradTiles, ObeyANameWhereItCan) {
  EXPECT_EQ(chosen(task(Dtype::f16, 256, 256), "mma_64x64x64_s3"), "mma_64x64x64_s3");
  EXPECT_EQ(chosen(task(Dtype::f32, 256, 256), "mma_64x64x64_s3"), "fma_128x128x32_s3");
  EXPECT_EQ(chosen(task(Dtype::f16, 256, 256), "no such kernel"), "mma_128x256x32_s5");
}

}  // namespace
}  // namespace spb::plans
