// SPDX-License-Identifier: Apache-2.0
// That random problems can flag at all: a mutant in place of a right algorithm.
#include <algorithm>
#include <gtest/gtest.h>
#include <sstream>
#include <string>
#include <string_view>
#include <vector>

#include "application.h"
#include "mutants.h"
#include "random_run.h"

namespace spb::mutants {
namespace {

constexpr int kProblems = 40;

std::vector<RandomOutcome> outcomes(std::string_view name) {
  const Algorithm& mutant = *std::ranges::find(mutant_algorithms(), name, &Algorithm::name);
  std::vector<RandomOutcome> all;
  for (int seed = 0; seed < kProblems; ++seed)
    for (RandomOutcome& outcome : run_random_problem(random_problem(static_cast<uint64_t>(seed)),
                                                     {&mutant, 1}, [](const std::string&) {}))
      all.push_back(std::move(outcome));
  return all;
}

int run_program(const std::string& repro) {
  std::istringstream line(repro + " -q --no-isolate");
  std::vector<std::string> words;
  for (std::string word; line >> word;) words.push_back(word);
  std::vector<char*> argv;
  for (std::string& word : words) argv.push_back(word.data());
  return application(static_cast<int>(argv.size()), argv.data(), mutant_algorithms());
}

TEST(RandomMutants, TheControlIsNeverFlagged) {
  for (const RandomOutcome& outcome : outcomes("control"))
    EXPECT_TRUE(outcome.is_right()) << outcome.detail << '\n' << outcome.repro;
}

TEST(RandomMutants, AreFlaggedWhereverThereIsAPair) {
  for (const char* name : {"neighbor_missed", "scaled", "unwritten_tile"}) {
    const auto all = outcomes(name);
    EXPECT_LE(std::ranges::count_if(all, &RandomOutcome::is_right), kProblems / 10) << name;
  }
}

TEST(RandomMutants, TheLineRepeatsTheVerdict) {
  const std::string name = "neighbor_missed";
  const auto all = outcomes(name);
  const auto flagged = std::ranges::find_if_not(all, &RandomOutcome::is_right);
  ASSERT_NE(flagged, all.end());
  EXPECT_EQ(run_program(flagged->repro), 1) << flagged->repro;
  std::string control = flagged->repro;
  control.replace(control.find(name), name.size(), "control");
  EXPECT_EQ(run_program(control), 0) << control;
}

}  // namespace
}  // namespace spb::mutants
