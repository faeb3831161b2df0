// SPDX-License-Identifier: Apache-2.0
#include "bench/rounds.h"

#include <algorithm>

namespace spb::bench {

Statistics summarize_rounds(const Rounds& rounds, uint64_t seed) {
  constexpr size_t kResamples = 1000;
  std::vector<double> all;
  for (const std::vector<double>& round : rounds) all.insert(all.end(), round.begin(), round.end());
  Statistics result = summarize(all);
  if (rounds.size() < 2) return result;
  Random random(seed);
  MedianResampler resampler(rounds);
  std::vector<double> medians(kResamples);
  for (double& median : medians) median = resampler.draw(random);
  std::ranges::sort(medians);
  const double tail = expanded_tail(rounds.size(), rounds.size() - 1);
  result.ci95_lo = quantile(medians, tail);
  result.ci95_hi = quantile(medians, 1 - tail);
  return result;
}

}  // namespace spb::bench
