// SPDX-License-Identifier: Apache-2.0
#include "run/repeats.h"

#include <algorithm>
#include <cmath>

namespace spb::run {
namespace {

using Clock = std::chrono::steady_clock;

/// Three runs before these and eleven behind them are judged in a row, so that one of every 16th is
/// among them. Beyond sixteen of these it is surely one whose operands are dense: what it gets
/// wrong could be zero by right in a fill of single values.
constexpr int64_t kLeast = 4, kMost = 64;
constexpr double kShareOfTime = 0.25;
constexpr std::chrono::milliseconds kCheap{50};  // whatever share that is

}  // namespace

Repeats repeat_runs(engines::Contender& contender, uint64_t hash, Clock::duration spent) {
  const auto limit = Clock::now() + std::max<std::chrono::duration<double, std::nano>>(
                                        kShareOfTime * spent, kCheap);
  Repeats repeats;
  while (repeats.runs < kLeast || (repeats.runs < kMost && Clock::now() < limit)) {
    // What a run leaves out must not be what the run before stored.
    contender.run(uint8_t{0xFF});
    ++repeats.runs;
    repeats.last_differs = contender.output_hash() != hash;
    if (repeats.last_differs) break;
  }
  return repeats;
}

double excluded_failure_rate(int64_t judged_runs) {
  constexpr double kUnseen = 0.05;
  return judged_runs > 0 ? 1 - std::pow(kUnseen, 1 / static_cast<double>(judged_runs)) : 1;
}

}  // namespace spb::run
