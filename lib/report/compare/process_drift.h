// SPDX-License-Identifier: Apache-2.0
// Drift between processes: what all times of one process have in common, which no number of
// samples and rounds within it can show.
#pragma once

#include <cstddef>
#include <map>
#include <optional>
#include <span>
#include <string>
#include <vector>

namespace spb::report {

/// Medians [us] of one process, by row_key().
using ProcessTimes = std::map<std::string, double>;

/// By how much each process lies above the mean of all, as a logarithm: the median over the rows
/// that all have, so that a row which jumps is not taken for drift. Empty where there are none.
std::vector<double> common_drifts(std::span<const ProcessTimes> processes);

/// How times vary from one process to the next: one factor for all rows of a process.
struct ProcessDrift {
  enum class Source { unseen, stated, measured };
  Source source = Source::unseen;
  double deviation = 0;           ///< standard deviation of the factor's logarithm: about a share
  double degrees_of_freedom = 0;  ///< of what is measured
  size_t base = 1, next = 1;      ///< processes of one build, by side, that measured the same rows

  /// How far it may shift the logarithm of a ratio, times of so many processes a side, but for the
  /// share `tail` at either end. What is stated is known; what few processes measured has the
  /// tails of Student's t.
  double reach(double tail, size_t of_base, size_t of_next) const;
};

/// What is stated counts, else what the sides' processes show: the variance of common_drifts()
/// within the sides, which are taken to drift alike.
ProcessDrift process_drift(std::span<const ProcessTimes> base, std::span<const ProcessTimes> next,
                           std::optional<double> stated);

}  // namespace spb::report
