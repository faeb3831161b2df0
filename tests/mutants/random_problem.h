// SPDX-License-Identifier: Apache-2.0
// Problems drawn at random, over all that the command line can say of a layer: a seed's is the
// same everywhere, and a line of the command line repeats it.
#pragma once

#include <cstdint>
#include <map>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "config/case_spec.h"

namespace spb::mutants {

/// Seeds below this are tried with each change.
constexpr uint64_t kRandomProblems = 300;

/// Data, layer, dtype and direction of a seed, without an algorithm: from no voxel to a few
/// hundred, few enough products for kernels on host.
config::CaseSpec random_problem(uint64_t seed);

/// What may be forced of a knob, words or small numbers, where nothing else is.
std::vector<std::string> claimed_values(const Algorithm& algorithm, const Knob& knob,
                                        const Problem& problem);

/// One way of an algorithm to do a problem.
struct RandomCase {
  config::CaseSpec spec;
  std::map<std::string, std::string> knobs = {};  ///< that are forced: SuiteRunOptions::knobs
  bool is_claimed = false;                        ///< by the algorithm; else it must refuse
};

/// Map variant and forced choices, of those that the algorithm takes for the problem; the usual
/// ones where it does not take the problem.
RandomCase random_case(const config::CaseSpec& problem, const Algorithm& algorithm);

}  // namespace spb::mutants
