// SPDX-License-Identifier: Apache-2.0
#include "config/filter.h"

#include "config/expect_error.h"

namespace spb::config {
namespace {

std::vector<CaseSpec> cases() {
  std::vector<CaseSpec> all(3);
  for (CaseSpec& spec : all) spec.dataset = "sphere:8";
  all[0].algorithm = "gather_scatter";
  all[1].algorithm = "implicit_gemm";
  all[2].algorithm = "implicit_gemm_splitk";
  return all;
}

TEST(Filter, KeepsWhatMatchesTheWholeName) {
  EXPECT_EQ(filter(cases(), "*").size(), 3u);
  EXPECT_EQ(filter(cases(), "sphere:8/*/implicit_gemm*").size(), 2u);
  const auto one = filter(cases(), "*/implicit_gemm");
  ASSERT_EQ(one.size(), 1u);
  EXPECT_EQ(one[0].algorithm, "implicit_gemm");
}

TEST(Filter, NoMatchIsAnErrorOfItsOwnThatNamesACase) {
  expect_error([] { filter(cases(), "gather"); }, "\"gather\" matches none of 3 cases",
               ExitCode::nothing);
  expect_error([] { filter(cases(), "sphere:8/subm-k3-s1-d1/c16x16/fprop/f32/gather_scater"); },
               "f32/gather_scatter", ExitCode::nothing);
}

}  // namespace
}  // namespace spb::config
