// SPDX-License-Identifier: Apache-2.0
// The cases of one problem, visited in several rounds (measurement.md, section 7).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "suite/case_runner.h"

namespace spb::suite {

/// One outcome from those of all rounds of a case: the first round's rows with the statistics of
/// all samples, of each row those of the rounds that have it. A round that failed is the outcome.
CaseOutcome merge_rounds(std::vector<CaseOutcome> rounds);

/// Whether a row of a timed case should be measured again: it was throttled, its clock fell while
/// it was timed, or its interval is too wide to show a difference of 3 %.
bool is_suspect(const CaseOutcome& outcome);

struct RoundOptions {
  int rounds = 1;
  uint64_t seed = 0;  ///< of the order in which a round visits the cases
  int reruns = 0;     ///< further rounds, at most, of cases that are suspect
};

/// What to do instead of the next visit.
enum class Next {
  run,
  stop,    ///< nothing more; the rounds that were made count
  discard  ///< nothing more, and what was made is not used
};

struct RoundHooks {
  std::function<Next(size_t)> before;  ///< each visit, with the case's index
  std::function<void(const CaseOutcome&)> after = [](const CaseOutcome&) {};
};

/// Runs the cases in rounds: in every round each that has not failed, in random order, so that what
/// drifts hits all algorithms alike. One round keeps the plan's order. One outcome per case,
/// without rows where a stop came before its first visit; none at all when discarded.
std::vector<CaseOutcome> run_rounds(CaseRunner& runner, std::span<const size_t> cases,
                                    const RoundOptions& options, const RoundHooks& hooks);

}  // namespace spb::suite
