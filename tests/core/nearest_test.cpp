// SPDX-License-Identifier: Apache-2.0
#include "core/nearest.h"

#include <gtest/gtest.h>
#include <vector>

namespace spb {
namespace {

const std::vector<std::string> kNames{"explicit_gemm", "implicit_gemm", "gather_scatter", "f16"};

TEST(NearestName, FindsTheSmallestEditDistance) {
  EXPECT_EQ(nearest_name("implict_gemm", kNames), "implicit_gemm");
  EXPECT_EQ(nearest_name("gather-scater", kNames), "gather_scatter");
  EXPECT_EQ(nearest_name("fp16", kNames), "f16");
  EXPECT_EQ(nearest_name("f16", kNames), "f16");
}

TEST(NearestName, FindsWhatOnlyBeginsWithTheWord) {
  EXPECT_EQ(nearest_name("exp", kNames), "explicit_gemm");
  EXPECT_EQ(nearest_name("explicit", kNames), "explicit_gemm");
  EXPECT_EQ(nearest_name("ex", kNames), "");  // too short to mean one
}

TEST(NearestName, SuggestsNothingForNoise) {
  EXPECT_EQ(nearest_name("zzzzzzzzzz", kNames), "");
  EXPECT_EQ(nearest_name("zzzz", {}), "");
}

TEST(UnknownName, HasASuggestionOnlyWhenOneIsClose) {
  EXPECT_EQ(unknown_name("fp16", kNames), "\"fp16\" is unknown; did you mean \"f16\"?");
  EXPECT_EQ(unknown_name("zzzzzzzzzz", kNames), "\"zzzzzzzzzz\" is unknown");
}

}  // namespace
}  // namespace spb
