// SPDX-License-Identifier: Apache-2.0
// The other half of judging the judge: right algorithms on random problems are never flagged.
// SPB_RANDOM_PROBLEMS sets their number (.ci/random-problems runs 10,000), SPB_RANDOM_FIRST the
// first seed; the default keeps CI short.
#include <cstdio>
#include <cstdlib>
#include <fmt/format.h>
#include <gtest/gtest.h>
#include <string>

#include "config/case_spec.h"
#include "random_problem.h"
#include "random_run.h"

namespace spb::mutants {
namespace {

constexpr int kParts = 6;  // of the problems, which run beside each other

uint64_t number(const char* variable, uint64_t usual) {
  const char* text = std::getenv(variable);
  return text ? std::strtoull(text, nullptr, 10) : usual;
}

/// How cases ended.
struct Count {
  size_t verified = 0, weak = 0, unsupported = 0, flagged = 0;

  void add(const RandomOutcome& outcome) {
    ++(!outcome.is_right()                     ? flagged
       : outcome.is_weak()                     ? weak
       : outcome.status == Status::unsupported ? unsupported
                                               : verified);
  }
};

class NeverFlagged : public testing::TestWithParam<uint64_t> {};

// What it prints .ci/random-problems reads. Should the process die, the last line says where.
TEST_P(NeverFlagged, RightAlgorithmsOnRandomProblems) {
  const uint64_t first = number("SPB_RANDOM_FIRST", 0);
  const uint64_t problems = number("SPB_RANDOM_PROBLEMS", kRandomProblems);
  Count count;
  for (uint64_t i = GetParam(); i < problems; i += kParts) {
    const config::CaseSpec problem = random_problem(first + i);
    fmt::print("seed {}: {} {}\n", problem.seed, config::data_id(problem),
               to_text(problem.problem));
    std::fflush(stdout);
    std::string lines;
    for (const RandomOutcome& outcome : run_random_problem(
             problem, algorithms(), [&](const std::string& line) { lines += line + '\n'; })) {
      EXPECT_TRUE(outcome.is_right()) << lines << "flagged: " << name(outcome.status) << ": "
                                      << outcome.detail << "\nrepeat with: " << outcome.repro;
      if (outcome.is_weak()) fmt::print("weak: {}; {}\n", outcome.detail, outcome.repro);
      count.add(outcome);
    }
  }
  fmt::print("{} verified, {} weak, {} unsupported, {} flagged\n", count.verified, count.weak,
             count.unsupported, count.flagged);
  const uint64_t most_weak_problems = 1 + problems / (20 * kParts);
  EXPECT_LE(count.weak, most_weak_problems * algorithms().size());
}

INSTANTIATE_TEST_SUITE_P(Part, NeverFlagged, testing::Range(uint64_t{0}, uint64_t{kParts}));

}  // namespace
}  // namespace spb::mutants
