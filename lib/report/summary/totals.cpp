// SPDX-License-Identifier: Apache-2.0
#include "report/summary/totals.h"

#include <algorithm>
#include <utility>

#include "report/summary/rank.h"
#include "report/summary/rows.h"

namespace spb::report {
namespace {

Total time_of(const Record& row) {
  return {number_of(row, columns::time_median_us), number_of(row, columns::time_ci95_lo_us),
          number_of(row, columns::time_ci95_hi_us)};
}

Total ranked_time(const Case& one, Phase phase) {
  const Record* row = one.row(name(phase));
  return row && is_ranked(*row) ? time_of(*row) : Total();
}

/// a + count * b
Total sum(const Total& a, const Total& b, double count) {
  return {a.us + count * b.us, a.lo_us + count * b.lo_us, a.hi_us + count * b.hi_us};
}

}  // namespace

std::vector<int64_t> with_many(std::span<const int64_t> runs) {
  std::vector<int64_t> all(runs.begin(), runs.end());
  all.push_back(kManyRuns);
  return all;
}

Total total_of(const Case& one, int64_t runs) {
  if (!one.ranked) return {};
  const Total run = time_of(*one.main);
  if (runs == kManyRuns) return run;
  Total first = ranked_time(one, Phase::end_to_end);
  if (!first.is_known()) first = sum(ranked_time(one, Phase::plan), run, 1);
  return runs == 1 ? first : sum(first, run, static_cast<double>(runs - 1));
}

std::optional<Winner> winner_of(const Cell& cell, int64_t runs) {
  Winner winner;
  Total best, next;
  for (const Case* one : cell) {
    const Total total = total_of(*one, runs);
    if (!total.is_known()) continue;
    if (!winner.best || total.us < best.us) {
      winner.next = std::exchange(winner.best, one);
      next = std::exchange(best, total);
    } else if (!winner.next || total.us < next.us) {
      winner.next = one;
      next = total;
    }
  }
  if (!winner.best) return std::nullopt;
  if (winner.next) {
    winner.ratio = next.us / best.us;
    winner.sure = best.hi_us < next.lo_us;
  }
  return winner;
}

std::vector<Lead> leads_of(const Cell& cell, int64_t runs) {
  std::vector<Lead> leads;
  const auto first = winner_of(cell, runs);
  if (!first) return leads;
  leads.push_back({runs, first->best});
  if (runs == kManyRuns) return leads;
  for (;;) {
    const Lead last = leads.back();
    const double last_us = total_of(*last.best, 1).us,
                 last_run_us = total_of(*last.best, kManyRuns).us;
    Lead next;
    for (const Case* other : cell) {
      const double behind_us = total_of(*other, 1).us - last_us;
      const double gain_us = last_run_us - total_of(*other, kManyRuns).us;
      if (!(gain_us > 0) || std::isnan(behind_us)) continue;
      // At so many runs it is no longer behind; of several the one whose further runs are shorter.
      const auto at =
          std::max(last.runs + 1, 1 + static_cast<int64_t>(std::ceil(behind_us / gain_us)));
      const bool is_sooner = !next.best || at < next.runs;
      if (is_sooner || (at == next.runs && total_of(*other, at).us < total_of(*next.best, at).us))
        next = {at, other};
    }
    if (!next.best) return leads;
    leads.push_back(next);
  }
}

std::optional<int64_t> break_even_runs(const Cell& cell) {
  const auto fastest = winner_of(cell, kManyRuns);
  if (!fastest) return std::nullopt;
  const double first_us = total_of(*fastest->best, 1).us;
  const double run_us = total_of(*fastest->best, kManyRuns).us;
  if (std::isnan(first_us)) return std::nullopt;
  int64_t runs = 1;
  for (const Case* other : cell) {
    const double other_first_us = total_of(*other, 1).us;
    const double gain_us = total_of(*other, kManyRuns).us - run_us;
    if (other == fastest->best || std::isnan(other_first_us) || first_us <= other_first_us)
      continue;
    if (gain_us <= 0) return std::nullopt;
    runs =
        std::max(runs, 1 + static_cast<int64_t>(std::ceil((first_us - other_first_us) / gain_us)));
  }
  return runs;
}

}  // namespace spb::report
