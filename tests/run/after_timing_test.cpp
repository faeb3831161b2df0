// SPDX-License-Identifier: Apache-2.0
// The run after timing repeats operands that the plan of verification had right: what is wrong of
// the plan that was timed is not taken for what passed then.
#include <array>
#include <gtest/gtest.h>
#include <set>
#include <string>

#include "algorithms/fake_algorithm.h"
#include "data/generate.h"
#include "engines/native/native.h"
#include "gpu/buffer.h"
#include "run/run_case.h"

namespace spb::run {
namespace {

TEST(AfterTiming, OutputsAreCompared) {
  const Problem problem{.geometry = {}, .c_in = 8, .c_out = 8};
  CaseData data("sphere:16", data::generate("sphere:16"));
  RunOptions options;
  options.timing.max_time_s = 0.02;
  options.timing.min_samples = 6;
  options.timing.llc_bytes = 1 << 20;
  int plans = 0;
  std::set<std::array<float, 16>> verified;  // the first values of each
  const Algorithm& algorithm =
      fake_algorithm({.after_run =
                          [&](const Operands& operands, const gpu::Stream& stream) {
                            std::array<float, 16> in;
                            gpu::copy_to_host(in.data(), operands.in, sizeof(in), stream);
                            if (plans == 1)
                              verified.insert(in);
                            else if (verified.contains(in))
                              write_element(operands, problem, 0, 12345, stream);
                          },
                      .in_plan = [&] { ++plans; }});
  const CaseRows result =
      run_case(engines::Native(algorithm), problem, data, options, [](const std::string&) {});
  ASSERT_EQ(result.rows.size(), 1u);
  EXPECT_EQ(result.rows[0].text(columns::status), "incorrect");
  EXPECT_TRUE(result.rows[0].text(columns::status_detail).starts_with("after timing"))
      << result.rows[0].text(columns::status_detail);
}

}  // namespace
}  // namespace spb::run
