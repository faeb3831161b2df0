// SPDX-License-Identifier: Apache-2.0
#include "kernels/tiling.h"

#include <gtest/gtest.h>

namespace spb::plans {
namespace {

TEST(Tiling, CoversAllItems) {
  EXPECT_EQ(tiles_of(0, 128), 0);
  EXPECT_EQ(tiles_of(1, 128), 1);
  EXPECT_EQ(tiles_of(128, 128), 1);
  EXPECT_EQ(tiles_of(129, 128), 2);
  EXPECT_EQ(tiles_of(int64_t{1} << 40, 64), int64_t{1} << 34);
}

TEST(Obstacle, NamesWhatIsMissing) {
  const auto reason = [](const KernelVariant& variant, int arch, int c_in = 16, int c_out = 16) {
    return unsupported(variant, Dtype::f16, arch, c_in, c_out).value_or("");
  };
  const KernelVariant anywhere{"anywhere", 64, 32, 32, 2, 64, 0, kPortableDtypes};
  EXPECT_EQ(reason(anywhere, 0, 1, 3), "");
  EXPECT_EQ(reason(anywhere, 90), "");

  const KernelVariant ampere{"ampere", 128, 128, 64, 3, 128, 80, kHalfDtypes};
  EXPECT_EQ(reason(ampere, 0), "needs an NVIDIA GPU of sm_80 or newer");
  EXPECT_EQ(reason(ampere, 75), "needs an NVIDIA GPU of sm_80 or newer");
  EXPECT_EQ(reason(ampere, 80), "");
  EXPECT_EQ(reason(ampere, 120), "");

  const KernelVariant hopper{"hopper", 128, 256, 64, 4, 384, 90, kHalfDtypes, 8, true};
  EXPECT_EQ(reason(hopper, 80), "needs an NVIDIA GPU of sm_90");
  EXPECT_EQ(reason(hopper, 100), "needs an NVIDIA GPU of sm_90");
  EXPECT_EQ(reason(hopper, 90), "");
  EXPECT_EQ(reason(hopper, 90, 12, 16), "needs channels in multiples of 8");
  EXPECT_EQ(reason(hopper, 90, 16, 12), "needs channels in multiples of 8");

  const KernelVariant single{"single", 64, 64, 32, 4, 64, 80, kF32};
  EXPECT_EQ(reason(single, 90), "is not compiled for f16");
}

}  // namespace
}  // namespace spb::plans
