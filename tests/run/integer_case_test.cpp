// SPDX-License-Identifier: Apache-2.0
// Integer dtypes through every algorithm that claims them.
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "algorithms/forced.h"
#include "algorithms/instances.h"
#include "algorithms/named.h"
#include "data/generate.h"
#include "engines/native/native.h"
#include "kernels/tiling.h"
#include "run/run_case.h"
#include "run/verify_case.h"
#include "scaled_layers.h"

namespace spb::run {
namespace {

std::string rest(const Dtype dtype, const char* epilogue) {
  return std::string(" ") + info(dtype).name + " fprop bias" + epilogue;
}

Verdict verified(const Algorithm& algorithm, const Problem& problem,
                 std::vector<std::string>& lines, const char* dataset = "sphere:8") {
  CaseData data(dataset, data::generate(dataset));
  const engines::Native native(algorithm);
  const auto contender = native.prepare(problem, data.voxels(), true);
  return verify_case(*contender, native.name(), problem, data, {},
                     [&](const std::string& line) { lines.push_back(line); });
}

class IntegerCase : public testing::TestWithParam<std::string> {
 protected:
  const Algorithm& algorithm() const { return algorithm_named(GetParam()); }
};

TEST_P(IntegerCase, IsRightBitByBit) {
  for (const char* layer : kScaledLayers)
    for (const Dtype dtype : {Dtype::i8, Dtype::i8_f32})
      for (const char* epilogue : {"", " residual", " relu", " residual+hswish"}) {
        const Problem problem = parse_problem(layer + rest(dtype, epilogue), "test");
        SCOPED_TRACE(to_text(problem));
        ASSERT_EQ(algorithm().unsupported(problem), std::nullopt);
        std::vector<std::string> lines;
        const Verdict verdict = verified(algorithm(), problem, lines);
        EXPECT_EQ(verdict.status, VerifyStatus::pass) << verdict.detail;
        EXPECT_EQ(verdict.modes, "exact");
        EXPECT_TRUE(lines.empty()) << lines.front();
      }
}

TEST_P(IntegerCase, StoresSumsBitByBit) {
  for (const char* layer : kScaledLayers) {
    const Problem problem = parse_problem(std::string(layer) + " i8_i32 fprop", "test");
    SCOPED_TRACE(to_text(problem));
    ASSERT_EQ(algorithm().unsupported(problem), std::nullopt);
    std::vector<std::string> lines;
    const Verdict verdict = verified(algorithm(), problem, lines);
    EXPECT_EQ(verdict.status, VerifyStatus::pass) << verdict.detail;
    EXPECT_TRUE(lines.empty()) << lines.front();
  }
}

// One offset's sum passes 2^24, and one of all offsets 2^30.
TEST_P(IntegerCase, StoresSumsOfManyChannels) {
  for (const char* layer :
       {"subm k1x1x1 s1x1x1 d1x1x1 c2048:16", "subm k3x3x3 s1x1x1 d1x1x1 c4096:16"}) {
    const Problem problem = parse_problem(std::string(layer) + " i8_i32 fprop", "test");
    std::vector<std::string> lines;
    const Verdict verdict = verified(algorithm(), problem, lines, "sphere:4");
    EXPECT_EQ(verdict.status, VerifyStatus::pass) << verdict.detail;
    EXPECT_TRUE(lines.empty()) << lines.front();
  }
}

TEST_P(IntegerCase, IsForwardOfOneGroupWithChannelsInFours) {
  const auto reason = [&](const std::string& text) {
    return algorithm().unsupported(parse_problem("subm k3x3x3 s1x1x1 d1x1x1 " + text, "test"));
  };
  EXPECT_EQ(reason("c16:32 i8 dgrad"), "i8 is inference alone: it has no backward");
  EXPECT_EQ(reason("c16:32 i8_f32 wgrad"), "i8_f32 is inference alone: it has no backward");
  EXPECT_EQ(reason("c16:30 i8 fprop"), "i8 needs channels in multiples of 4");
  EXPECT_EQ(reason("c16:32 i8 fprop g2"), "i8 takes one group of channels");
  for (const char* more : {"bias", "relu", "residual"})
    EXPECT_EQ(reason(std::string("c16:32 i8_i32 fprop ") + more),
              "i8_i32 stores sums as they are: it takes no bias (--bias false) and no epilogue");
  EXPECT_EQ(reason("c4852:32 i8 fprop"), std::nullopt);
  EXPECT_EQ(reason("c4856:32 i8 fprop"),
            "i8 sums up to 131071 products, kernel volume times c_in, in 32 bits");
}

INSTANTIATE_TEST_SUITE_P(All, IntegerCase, testing::ValuesIn(takers_of(Dtype::i8)),
                         [](const auto& of) { return of.param; });

// Whatever a plan would choose: tails of rows and of columns, several column tiles, slices.
using IntegerKernels = ByName;
TEST_P(IntegerKernels, AreRightBitByBit) {
  int ran = 0, asked = 0;
  for (const char* name : {"masked_implicit_gemm", "masked_implicit_gemm_splitk"})
    for (const char* channels : {"c16:16", "c48:272", "c144:80"})
      for (const std::string& of :
           {rest(Dtype::i8, ""), rest(Dtype::i8, " residual+relu"), rest(Dtype::i8_f32, ""),
            rest(Dtype::i8_f32, " residual+relu"), std::string(" i8_i32 fprop")}) {
        const Problem problem =
            parse_problem(std::string("subm k3x3x3 s1x1x1 d1x1x1 ") + channels + of, "test");
        SCOPED_TRACE(std::string(name) + ' ' + to_text(problem));
        const Algorithm one = forced(name, GetParam());
        ++asked;
        if (const auto reason = one.unsupported(problem)) {
          EXPECT_TRUE(reason->starts_with("kernel " + GetParam())) << *reason;
          continue;
        }
        std::vector<std::string> lines;
        const Verdict verdict = verified(one, problem, lines);
        EXPECT_EQ(verdict.status, VerifyStatus::pass) << verdict.detail;
        ++ran;
      }
  const KernelVariant& variant = known_variant(GetParam(), "test");
  const int own = plans::architecture(), wanted = variant.min_arch;
  EXPECT_EQ(ran, wanted == own || (wanted < own && !variant.one_arch) ? asked : 0);
}

/// But twins of matrix cores, which matrix_cores_case_test.cpp has.
std::vector<std::string> kernels_of_integers() {
  std::vector<std::string> names;
  for (const KernelVariant& variant : row_variants())
    if (variant.dtypes & kIntegerDtypes && !variant.chips) names.emplace_back(variant.name);
  return names;
}
INSTANTIATE_TEST_SUITE_P(All, IntegerKernels, testing::ValuesIn(kernels_of_integers()), its_name);

TEST(IntegerCases, AreRefusedWithoutExactMode) {
  const Problem problem = parse_problem(kScaledLayers[0] + rest(Dtype::i8, ""), "test");
  CaseData data("sphere:8", data::generate("sphere:8"));
  RunOptions options;
  options.verify_exact = false;
  const engines::Native native(algorithm_named("implicit_gemm"));
  const CaseRows rows = run_case(native, problem, data, options, [](const std::string&) {});
  ASSERT_EQ(rows.rows.size(), 1u);
  EXPECT_EQ(rows.rows[0].get(columns::status), Status::unsupported);
  EXPECT_EQ(rows.rows[0].text(columns::status_detail),
            "i8 is verified bit by bit: --verify-modes needs exact");
}

TEST(IntegerCases, AreTimedAndVerifiedAgain) {
  const Problem problem =
      parse_problem(kScaledLayers[0] + rest(Dtype::i8, " residual+relu"), "test");
  CaseData data("sphere:8", data::generate("sphere:8"));
  RunOptions options;
  options.timing.max_time_s = 0.01;
  const engines::Native native(algorithm_named("masked_implicit_gemm"));
  const CaseRows rows = run_case(native, problem, data, options, [](const std::string&) {});
  ASSERT_GT(rows.rows.size(), 1u);
  for (const Record& row : rows.rows) EXPECT_EQ(row.get(columns::status), Status::ok);
}

}  // namespace
}  // namespace spb::run
