// SPDX-License-Identifier: Apache-2.0
// Tests ask for an algorithm by its name: its place in the table changes with every new one.
#pragma once

#include <algorithm>
#include <stdexcept>
#include <string>

#include "algorithms/algorithm.h"

namespace spb {

/// Throws std::runtime_error where there is none.
inline const Algorithm& algorithm_named(const std::string& name) {
  for (const Algorithm& algorithm : algorithms())
    if (name == algorithm.name) return algorithm;
  throw std::runtime_error("no algorithm " + name);
}

/// The problem, with a group for each of its input channels where the algorithm takes no other.
inline Problem taken_by(const Algorithm& algorithm, Problem problem) {
  if (algorithm.claim.groups & claim_of(GroupKind::one)) return problem;
  problem.c_in = problem.c_out = problem.groups = std::max(problem.c_in, 2);
  return problem;
}

}  // namespace spb
