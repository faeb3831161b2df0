// SPDX-License-Identifier: Apache-2.0
// 8-bit floats through every algorithm that claims them, and every kernel.
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/forced.h"
#include "algorithms/instances.h"
#include "algorithms/named.h"
#include "data/generate.h"
#include "engines/native/native.h"
#include "gpu/device_info.h"
#include "kernels/tiling.h"
#include "run/run_case.h"
#include "run/verify_case.h"
#include "scaled_layers.h"

namespace spb::run {
namespace {

constexpr Dtype kDtypes[] = {Dtype::e4m3, Dtype::e4m3_f16, Dtype::e4m3_bf16};
Problem problem_of(const std::string& layer, Dtype dtype, const char* rest) {
  return parse_problem(layer + " " + info(dtype).name + " " + rest, "test");
}
constexpr const char* kForward[] = {"fprop bias", "fprop bias residual+hswish"};

/// By both modes.
void expect_right(const Algorithm& algorithm, const Problem& problem) {
  SCOPED_TRACE(to_text(problem));
  CaseData data("sphere:8", data::generate("sphere:8"));
  const engines::Native native(algorithm);
  const auto contender = native.prepare(problem, data.voxels(), true);
  std::vector<std::string> lines;
  const Verdict verdict = verify_case(*contender, native.name(), problem, data, {},
                                      [&](const std::string& line) { lines.push_back(line); });
  EXPECT_EQ(verdict.status, VerifyStatus::pass) << verdict.detail;
  EXPECT_EQ(verdict.modes, "exact,fp");
  EXPECT_LT(verdict.max_tolerance_ratio, 1);
  EXPECT_TRUE(lines.empty()) << lines.front();
}

void expect_taken(const Algorithm& algorithm, const Problem& problem) {
  if (const auto reason = algorithm.unsupported(problem))
    EXPECT_TRUE(!gpu::on_host() && plans::architecture() < 89) << *reason;
  else
    expect_right(algorithm, problem);
}

using E4m3Case = testing::TestWithParam<std::string>;

TEST_P(E4m3Case, IsRightInBothModes) {
  const Algorithm& algorithm = algorithm_named(GetParam());
  for (const char* layer : kScaledLayers)
    for (const Dtype dtype : kDtypes)
      for (const char* forward : kForward)
        expect_taken(algorithm, problem_of(layer, dtype, forward));
}

// Gradients of inputs are scaled like outputs, by another scale for each channel.
TEST_P(E4m3Case, GradientsOfInputsAreRightInBothModes) {
  for (const char* layer : kScaledLayers)
    for (const Dtype dtype : kDtypes)
      expect_taken(algorithm_named(GetParam()), problem_of(layer, dtype, "dgrad"));
}

// By bf16, which holds every e4m3.
TEST_P(E4m3Case, GradientsOfWeightsAreRightInBothModes) {
  for (const char* layer : kScaledLayers)
    expect_taken(algorithm_named(GetParam()), problem_of(layer, Dtype::e4m3_bf16, "wgrad bias"));
}

TEST_P(E4m3Case, IsOfOneGroupWithChannelsInFours) {
  const auto reason = [&](const std::string& text) {
    const Problem problem = parse_problem("subm k3x3x3 s1x1x1 d1x1x1 " + text, "test");
    return algorithm_named(GetParam()).unsupported(problem);
  };
  for (const std::string dtype : {"e4m3", "e4m3_f16"})
    EXPECT_EQ(reason("c16:32 " + dtype + " wgrad"),
              dtype + " stores no gradient of weights: e4m3_bf16 does");
  EXPECT_EQ(reason("c16:30 e4m3 fprop"), "e4m3 needs channels in multiples of 4");
  EXPECT_EQ(reason("c16:32 e4m3_f16 fprop g2"), "e4m3_f16 takes one group of channels");
}

INSTANTIATE_TEST_SUITE_P(All, E4m3Case, testing::ValuesIn(takers_of(Dtype::e4m3)),
                         [](const auto& of) { return of.param; });

// Whatever a plan would choose: tails of rows and of columns, several column tiles, slices.
using E4m3Kernels = ByName;
TEST_P(E4m3Kernels, AreRightInBothModes) {
  int ran = 0, asked = 0;
  for (const char* name : {"masked_implicit_gemm", "masked_implicit_gemm_splitk"})
    for (const char* channels : {"c16:16", "c48:272", "c144:80"})
      for (const Dtype dtype : kDtypes)
        for (const char* rest : {"fprop bias", "fprop bias residual+relu", "dgrad"}) {
          const Problem problem =
              problem_of(std::string("subm k3x3x3 s1x1x1 d1x1x1 ") + channels, dtype, rest);
          const Algorithm one = forced(name, GetParam());
          ++asked;
          if (one.unsupported(problem)) continue;
          expect_right(one, problem);
          ++ran;
        }
  const KernelVariant& variant = known_variant(GetParam(), "test");
  const int own = plans::architecture(), wanted = variant.min_arch;
  EXPECT_EQ(ran, wanted == own || (wanted < own && !variant.one_arch) ? asked : 0);
}

std::vector<std::string> kernels_of_e4m3() {
  std::vector<std::string> names;
  for (const KernelVariant& variant : row_variants())
    if (variant.dtypes & kE4m3Dtypes) names.emplace_back(variant.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, E4m3Kernels, testing::ValuesIn(kernels_of_e4m3()), its_name);

TEST(E4m3Kernels, OfFewBitsAreTakenByNameAlone) {
  for (const KernelVariant& variant : row_variants()) {
    const bool is_fast = std::string_view(variant.name).find("_fast_") != std::string_view::npos;
    EXPECT_EQ(variant.cuts_sums(), is_fast) << variant.name;
    EXPECT_EQ(variant.by_name_only(), is_fast || variant.chips) << variant.name;
  }
}

TEST(E4m3Cases, AreTimedAndVerifiedAgain) {
  const Problem problem = problem_of(kScaledLayers[0], Dtype::e4m3, "fprop bias residual+relu");
  CaseData data("sphere:8", data::generate("sphere:8"));
  RunOptions options;
  options.timing.max_time_s = 0.01;
  const engines::Native native(algorithm_named("masked_implicit_gemm"));
  if (native.unsupported(problem)) GTEST_SKIP() << *native.unsupported(problem);
  const CaseRows rows = run_case(native, problem, data, options, [](const std::string&) {});
  ASSERT_GT(rows.rows.size(), 1u);
  for (const Record& row : rows.rows) EXPECT_EQ(row.get(columns::status), Status::ok);
}

}  // namespace
}  // namespace spb::run
