// The cases of one problem, visited in several rounds (measurement.md, section 7).
#pragma once

#include <cstdint>
#include <functional>
#include <span>
#include <vector>

#include "case_runner.h"

namespace spb::app {

/// One outcome from those of all rounds of a case: the first round's rows with the statistics of
/// all samples. A round that failed is the outcome.
CaseOutcome merge_rounds(std::vector<CaseOutcome> rounds);

/// Runs the cases `rounds` times: in every round each that has not failed, in an order drawn from
/// `seed`, so that what drifts hits all algorithms alike. One round keeps the plan's order.
/// `before` is called before each visit with the case's index and the round; when it returns false
/// nothing more is run and the result is empty.
std::vector<CaseOutcome> run_rounds(CaseRunner& runner, std::span<const size_t> cases, int rounds,
                                    uint64_t seed, const std::function<bool(size_t, int)>& before);

}  // namespace spb::app
