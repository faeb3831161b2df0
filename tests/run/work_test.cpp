// SPDX-License-Identifier: Apache-2.0
#include "run/work.h"

#include <gtest/gtest.h>

namespace spb::run {
namespace {

TEST(Work, CountsEveryTensorOnceAndTheSmallerMap) {
  const Problem problem{.geometry = {}, .c_in = 2, .c_out = 3, .dtype = Dtype::f16};
  EXPECT_EQ(useful_macs(problem, 10), 60);
  EXPECT_EQ(compulsory_bytes(problem, 5, 4, 10), 2 * (10 + 12 + 162) + 80);
  EXPECT_EQ(compulsory_bytes(problem, 5, 4, 1000), 2 * (10 + 12 + 162) + 4 * 4 * 27);
}

}  // namespace
}  // namespace spb::run
