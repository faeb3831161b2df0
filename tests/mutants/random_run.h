// SPDX-License-Identifier: Apache-2.0
// Random problems as `verify` runs them.
#pragma once

#include <functional>
#include <span>
#include <string>
#include <vector>

#include "core/status.h"
#include "random_problem.h"

namespace spb::mutants {

struct RandomOutcome {
  RandomCase of;
  Status status = Status::error;
  std::string detail = {};  ///< why, one line
  std::string repro;        ///< the command that repeats it

  /// Nothing mismatched, but problems of very few elements may be no evidence.
  bool is_weak() const { return of.is_claimed && status == Status::mistrusted; }
  /// Whether a right algorithm ends so: what it does not claim it refuses, and says why.
  bool is_right() const {
    if (!of.is_claimed) return status == Status::unsupported && !detail.empty();
    return status == Status::ok || is_weak();
  }
};

using Report = std::function<void(const std::string&)>;

/// One case of the problem for each of the algorithms. `report` receives the lines of mismatch
/// reports.
std::vector<RandomOutcome> run_random_problem(const config::CaseSpec& problem,
                                              std::span<const Algorithm> algorithms,
                                              const Report& report);

}  // namespace spb::mutants
