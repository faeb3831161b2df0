// SPDX-License-Identifier: Apache-2.0
#include "run/repeats.h"

#include <functional>
#include <gtest/gtest.h>
#include <random>
#include <thread>

#include "algorithms/fake_algorithm.h"
#include "data/generate.h"
#include "engines/native/native.h"
#include "run/case_data.h"

namespace spb::run {
namespace {

using std::chrono::hours, std::chrono::milliseconds;

class RepeatsTest : public testing::Test {
 protected:
  /// `goes_wrong` is asked after each of the repeats.
  Repeats repeat(std::function<bool()> goes_wrong, std::chrono::steady_clock::duration spent) {
    const Problem problem{.geometry = {}, .c_in = 1, .c_out = 1};
    CaseData data("cube:4", data::generate("cube:4"));
    bool repeats = false;
    const Algorithm& algorithm =
        fake_algorithm({.after_run = [&](const Operands& operands, const gpu::Stream& stream) {
          if (repeats && goes_wrong()) write_element(operands, problem, 5, 12345, stream);
        }});
    const auto contender = engines::Native(algorithm).prepare(problem, data.voxels(), true);
    contender->write(data.expectation({.problem = problem, .drawn_only = true})->operands);
    contender->run(std::nullopt);
    repeats = true;
    return repeat_runs(*contender, contender->output_hash(), spent);
  }
};

TEST_F(RepeatsTest, RightOnesAre64AndSomeWithoutTime) {
  const auto never = [] { return false; };
  const auto slowly_never = [] {
    std::this_thread::sleep_for(milliseconds(20));
    return false;
  };
  EXPECT_EQ(repeat(slowly_never, hours(1)).runs, 64);
  EXPECT_EQ(repeat(slowly_never, milliseconds(0)).runs, 4);
  EXPECT_GE(repeat(slowly_never, milliseconds(500)).runs, 5);
  EXPECT_GT(repeat(never, milliseconds(0)).runs, 4);
  EXPECT_FALSE(repeat(never, hours(1)).last_differs);
}

TEST_F(RepeatsTest, TheFirstThatDiffersIsTheLast) {
  int left = 7;
  const Repeats repeats = repeat([&] { return --left == 0; }, hours(1));
  EXPECT_TRUE(repeats.last_differs);
  EXPECT_EQ(repeats.runs, 7);
}

TEST_F(RepeatsTest, OneWrongRunIn20IsSeen) {
  int seen = 0;
  for (unsigned seed = 0; seed < 100; ++seed)
    seen += repeat([random = std::mt19937(seed)]() mutable { return random() % 20 == 0; }, hours(1))
                .last_differs;
  EXPECT_GE(seen, 95);
}

TEST(ExcludedFailureRate, IsOfTheRunsThatWereJudged) {
  EXPECT_EQ(excluded_failure_rate(0), 1);
  EXPECT_NEAR(excluded_failure_rate(1), 0.95, 1e-12);
  EXPECT_GT(excluded_failure_rate(58), 0.05);
  EXPECT_LT(excluded_failure_rate(59), 0.05);
}

}  // namespace
}  // namespace spb::run
