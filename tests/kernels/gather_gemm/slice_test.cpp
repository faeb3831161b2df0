// SPDX-License-Identifier: Apache-2.0
#include "kernels/gather_gemm/slice.h"

#include <gtest/gtest.h>

namespace spb::plans {
namespace {

TEST(SliceBegin, CutsWithoutGapsOrOverlap) {
  for (const int64_t steps : {0, 1, 2, 7, 27, 54})
    for (const int64_t split : {1, 2, 8, 64}) {
      EXPECT_EQ(slice_begin(0, split, steps), 0);
      EXPECT_EQ(slice_begin(split, split, steps), steps);
      for (int64_t s = 0; s < split; ++s) {
        const int64_t size = slice_begin(s + 1, split, steps) - slice_begin(s, split, steps);
        EXPECT_GE(size, steps / split);
        EXPECT_LE(size, (steps + split - 1) / split);
      }
    }
}

}  // namespace
}  // namespace spb::plans
