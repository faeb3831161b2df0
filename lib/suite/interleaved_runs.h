// SPDX-License-Identifier: Apache-2.0
// compare --ab: two builds measured in turns.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "report/compare/compare.h"
#include "suite/observer.h"

namespace spb::suite {

/// Runs `words` (run DATA ...) with both programs, A B B A and so on for `pairs` pairs, each into a
/// folder of its own below `out`, and merges what each has written. Measuring one build after the
/// other lets drift look like a regression; in this order its linear part cancels. A run whose exit
/// code says that a case failed is used, too: compare tells it. Throws Error when one cannot run,
/// or is killed because it takes longer than `limit_s`.
std::pair<report::Side, report::Side> run_interleaved(const std::string& a, const std::string& b,
                                                      const std::vector<std::string>& words,
                                                      int pairs, const std::string& out,
                                                      double limit_s, Log& log);

}  // namespace spb::suite
