// SPDX-License-Identifier: Apache-2.0
// What a user waits for: maps and plan once, then as many runs as they serve. Which algorithm is
// right hangs on how many that is.
#pragma once

#include <cmath>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "report/summary/cases.h"

namespace spb::report {

/// Runs that share a plan: so many that maps and plan cost nothing.
inline constexpr int64_t kManyRuns = 0;

/// What is told of: so many runs as asked for, then many.
std::vector<int64_t> with_many(std::span<const int64_t> runs);

/// A time with its 95 % interval; NaN where it was not measured.
struct Total {
  double us = NAN, lo_us = NAN, hi_us = NAN;

  bool is_known() const { return !std::isnan(us); }
};

/// Maps, plan and `runs` runs of a ranked case: the phase end_to_end, or plan and a run where that
/// was not timed, and a kernel time as ranked for each further run. Of kManyRuns, the kernel time.
Total total_of(const Case& one, int64_t runs);

/// What a cell comes to at so many runs.
struct Winner {
  const Case* best = nullptr;
  const Case* next = nullptr;  ///< null: nothing else was proven right and timed
  double ratio = NAN;          ///< next over best
  bool sure = false;           ///< their intervals do not meet
};

/// The least total among the ranked; nothing where no total is known.
std::optional<Winner> winner_of(const Cell& cell, int64_t runs);

/// From `runs` on this one has the least total.
struct Lead {
  int64_t runs = 1;
  const Case* best = nullptr;
};

/// Who leads from `runs` on, and every change of the lead with more of them; empty where nobody
/// is known.
std::vector<Lead> leads_of(const Cell& cell, int64_t runs);

/// From how many runs on the fastest kernel also has the least total; 1 where it always has.
/// Nothing where it has none, or another algorithm is never overtaken.
std::optional<int64_t> break_even_runs(const Cell& cell);

}  // namespace spb::report
