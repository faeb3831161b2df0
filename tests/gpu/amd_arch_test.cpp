// SPDX-License-Identifier: Apache-2.0
#include "gpu/amd_arch.h"

#include <gtest/gtest.h>

namespace spb::gpu {
namespace {

TEST(AmdArch, Gfx9AndOlderHave64Lanes) {
  for (const char* arch : {"gfx803", "gfx900", "gfx90a", "gfx942", "gfx950"})
    EXPECT_EQ(amd_lanes(arch), 64) << arch;
  for (const char* arch : {"gfx1030", "gfx1100", "gfx1151", "gfx1201", "gfx1250"})
    EXPECT_EQ(amd_lanes(arch), 32) << arch;
}

TEST(AmdArch, StampsTellTheClockOfGfx9) {
  for (const char* arch : {"gfx90a", "gfx942"}) EXPECT_TRUE(amd_stamps_clock(arch)) << arch;
  for (const char* arch : {"gfx1030", "gfx1100", "gfx1201"})
    EXPECT_FALSE(amd_stamps_clock(arch)) << arch;
}

TEST(AmdArch, CodeForAnotherChipIsRefused) {
  EXPECT_EQ(amd_refusal("gfx90a", "gfx90a", 64), "");
  EXPECT_EQ(amd_refusal("gfx90a,gfx942:sramecc+:xnack-,gfx1100", "gfx942", 64), "");
  EXPECT_EQ(amd_refusal("gfx90a,gfx1100", "gfx1100", 32), "");
  EXPECT_EQ(amd_refusal("gfx11-generic", "gfx1103", 32), "") << "the runtime decides";
  EXPECT_EQ(amd_refusal("gfx90a,gfx1100", "gfx942", 64),
            "this build has code for gfx90a,gfx1100, the device is gfx942; build with "
            "-DCMAKE_HIP_ARCHITECTURES=gfx942");
  EXPECT_NE(amd_refusal("gfx90a", "gfx90", 64), "");
  EXPECT_NE(amd_refusal("", "gfx90a", 64), "");
}

TEST(AmdArch, OtherLanesThanTheCompilersAreRefused) {
  EXPECT_EQ(amd_refusal("gfx1100", "gfx1100", 64),
            "the device has wavefronts of 64 lanes, this build's for gfx1100 have 32");
}

}  // namespace
}  // namespace spb::gpu
