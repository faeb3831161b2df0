// SPDX-License-Identifier: Apache-2.0
// The same run again and again: what goes wrong now and then.
#pragma once

#include <chrono>
#include <cstdint>

#include "engines/contender.h"

namespace spb::run {

struct Repeats {
  int64_t runs = 0;
  bool last_differs = false;  ///< from the others: then it was the last
};

/// Runs on what was written, told by their hashes where they lie, until one stores other bits than
/// those of `hash`. Some whatever they cost, up to 64 where they are cheap: within a share of the
/// time that was `spent`, or some milliseconds.
Repeats repeat_runs(engines::Contender& contender, uint64_t hash,
                    std::chrono::steady_clock::duration spent);

/// What goes wrong in more than this share of runs would have been seen in so many with 95 %.
double excluded_failure_rate(int64_t judged_runs);

}  // namespace spb::run
