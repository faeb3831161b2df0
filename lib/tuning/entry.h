// SPDX-License-Identifier: Apache-2.0
// What tuning a class of problems found: winners, losers and their samples.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "core/choice.h"
#include "tuning/problem_class.h"

namespace spb::tuning {

/// Where times were taken. They say nothing about another device, driver or version of the tool.
struct Machine {
  std::string device, driver, tool_version;
  friend bool operator==(const Machine&, const Machine&) = default;
};

/// What became of a candidate. Only one that is right may win.
enum class TrialStatus {
  ok,           ///< timed, checked, right
  slower,       ///< timed, too slow to be checked
  incorrect,    ///< timed, checked, wrong
  mistrusted,   ///< timed; its check was too weak to say
  unsupported,  ///< cannot do the problem
  oom,
  error,
};
const char* name(TrialStatus status);

/// One candidate.
struct Trial {
  Choice choice;               ///< of knobs and values that this program does not know, too
  std::string kernel, params;  ///< what the plan took, as in the columns kernel, algorithm_params
  TrialStatus status = TrialStatus::ok;
  std::string detail;    ///< of a failure, one line
  double median_us = 0;  ///< 0 when it was not timed
  std::vector<double> samples_us;
  double plan_us = 0;  ///< 0 when plans do not count

  /// Of a run with its share of the plan. `runs`: Entry::runs.
  double cost_us(int64_t runs) const {
    return median_us + (runs > 0 ? plan_us / static_cast<double>(runs) : 0);
  }
};
/// "fma_64x64x32, split 3": the kernel and what was chosen besides; "kernel fma_64x64x32" of one
/// that was never planned.
std::string text(const Trial& trial);

struct Entry {
  Machine machine;
  ProblemClass problem_class;
  // What stood for the class.
  std::string problem, dataset;
  int64_t n_out = 0, n_pairs = 0;
  std::string mode;  ///< "auto", "trimmed" or "all"
  int64_t runs = 0;  ///< that a plan serves; 0: plans do not count
  std::string tuned_utc;
  double tune_ms = 0;         ///< all of it: plans, times, checks
  std::vector<Trial> trials;  ///< the first is the algorithm's own choice
  int winner = -1;            ///< index into trials; -1: none was right

  const Trial* winning() const {
    return winner < 0 ? nullptr : &trials[static_cast<size_t>(winner)];
  }
  /// The own choice's cost over the winner's; 0 when either was not timed.
  double gain() const;
  /// For plans; nothing when none was right.
  std::optional<Choice> choice() const;
};

std::string gain_text(const Entry& entry);  ///< "1.05"; "-" when there is none

}  // namespace spb::tuning
