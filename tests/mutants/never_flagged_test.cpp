// SPDX-License-Identifier: Apache-2.0
// The other half of judging the judge: correct algorithms on random problems are never flagged.
// SPB_RANDOM_PROBLEMS sets the number (1000 for a full check); the default keeps CI short.
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <string>

#include "algorithms/named.h"
#include "core/error.h"
#include "data/generate.h"
#include "engines/native/native.h"
#include "run/run_case.h"

namespace spb::run {
namespace {

constexpr int kChannels[] = {1, 2, 3, 8, 16, 17, 32, 33, 48};

class Dice {
 public:
  explicit Dice(uint64_t seed) : engine_(seed) {}
  int operator()(int low, int high) {
    return low + static_cast<int>(engine_() % static_cast<uint64_t>(high - low + 1));
  }

 private:
  std::mt19937_64 engine_;
};

Problem random_problem(Dice& dice) {
  Problem problem;
  ConvGeometry& geometry = problem.geometry;
  geometry.kind = static_cast<ConvKind>(dice(0, 3));
  for (int axis = 0; axis < 3; ++axis) {
    if (geometry.kind == ConvKind::subm) {
      geometry.kernel_size[axis] = 1 + 2 * dice(0, 2);
    } else {
      geometry.kernel_size[axis] = dice(1, 4);
      geometry.stride[axis] = dice(1, 3);
    }
    geometry.dilation[axis] = dice(1, 2);
  }
  if (geometry.kind == ConvKind::inverse && geometry.stride == Int3{1, 1, 1})
    geometry.stride[0] = 2;
  problem.c_in = kChannels[dice(0, std::size(kChannels) - 1)];
  problem.c_out = kChannels[dice(0, std::size(kChannels) - 1)];
  problem.dtype =
      dtypes()[static_cast<size_t>(dice(0, static_cast<int>(dtypes().size()) - 1))].dtype;
  problem.direction = static_cast<Direction>(dice(0, 2));
  problem.bias = dice(0, 1) != 0;
  return problem;
}

TEST(NeverFlagged, CorrectAlgorithmsOnRandomProblems) {
  const char* wanted = std::getenv("SPB_RANDOM_PROBLEMS");
  const int problems = wanted ? std::atoi(wanted) : 40;
  ASSERT_GT(problems, 0);
  int verified = 0;
  for (int seed = 0; seed < problems; ++seed) {
    Dice dice(static_cast<uint64_t>(seed) * 7919 + 1);
    const std::string spec =
        "random:" + std::to_string(dice(3, 12)) + ",0." + std::to_string(dice(1, 9));
    CaseData data(spec, data::generate(spec, static_cast<uint64_t>(seed)));
    const Problem drawn = random_problem(dice);
    RunOptions options;
    options.time = false;
    options.seed = static_cast<uint64_t>(seed) + 1;
    for (const Algorithm& algorithm : algorithms()) {
      const Problem problem = taken_by(algorithm, drawn);
      if (unclaimed(algorithm.claim, problem)) continue;
      // No tensor cores, or one offset where segments are asked for.
      const bool may_refuse = problem.dtype == Dtype::tf32x3 || problem.kernel_volume() == 1;
      if (may_refuse && algorithm.unsupported(problem)) continue;
      const auto records = run_case(engines::Native(algorithm), problem, data, options,
                                    [&](const std::string& line) {
                                      ADD_FAILURE() << spec << ' ' << to_text(problem) << ' '
                                                    << algorithm.name << ": " << line;
                                    })
                               .rows;
      ASSERT_FALSE(records.empty());
      for (const Record& record : records) {
        // A problem of very few elements may be too weak as evidence, but never wrong.
        const std::string status = record.text(columns::verify_status);
        EXPECT_TRUE(status == "pass" || status == "mistrusted")
            << spec << ' ' << to_text(problem) << ' ' << algorithm.name << ": " << status << ", "
            << record.text(columns::status_detail);
        verified += status == "pass";
      }
    }
  }
  EXPECT_GT(verified, problems * 3) << "most problems must be strong enough to pass";
}

}  // namespace
}  // namespace spb::run
