// SPDX-License-Identifier: Apache-2.0
#include "bench/statistics.h"

#include <algorithm>
#include <cmath>
#include <numeric>
#include <stdexcept>
#include <vector>

#include "core/statistics.h"

namespace spb::bench {
namespace {

Fences fences_of(double q1, double q3) { return {q1 - 3 * (q3 - q1), q3 + 3 * (q3 - q1)}; }

}  // namespace

int64_t median_ci_rank(int64_t n) {
  const double count = static_cast<double>(n);
  double tail = 0;  // P(Bin(n, 1/2) < j)
  for (int64_t j = 0; j < n; ++j) {
    // Through logarithms: 2^-n underflows from n = 1075 on.
    const double k = static_cast<double>(j);
    tail += std::exp(std::lgamma(count + 1) - std::lgamma(k + 1) - std::lgamma(count - k + 1) -
                     count * std::log(2.0));
    if (tail > 0.025) return j;
  }
  return 0;
}

Fences outlier_fences(std::span<const double> samples_us) {
  std::vector<double> sorted(samples_us.begin(), samples_us.end());
  std::ranges::sort(sorted);
  return fences_of(quantile(sorted, 0.25), quantile(sorted, 0.75));
}

Statistics summarize(std::span<const double> samples_us) {
  if (samples_us.empty()) throw std::logic_error("statistics of no samples");
  if (!std::ranges::all_of(samples_us, [](double time) { return std::isfinite(time); }))
    throw std::logic_error("a sample is not finite");
  std::vector<double> sorted(samples_us.begin(), samples_us.end());
  std::ranges::sort(sorted);
  const auto n = static_cast<int64_t>(sorted.size());

  Statistics result;
  result.samples = n;
  result.min = sorted.front();
  result.q1 = quantile(sorted, 0.25);
  result.median = quantile(sorted, 0.5);
  result.q3 = quantile(sorted, 0.75);
  result.p95 = quantile(sorted, 0.95);
  result.mean = std::accumulate(sorted.begin(), sorted.end(), 0.0) / static_cast<double>(n);
  double squares = 0;
  for (const double time : sorted) squares += (time - result.mean) * (time - result.mean);
  if (n > 1) result.std = std::sqrt(squares / static_cast<double>(n - 1));
  if (const int64_t rank = median_ci_rank(n); rank > 0) {
    result.ci95_lo = sorted[static_cast<size_t>(rank - 1)];
    result.ci95_hi = sorted[static_cast<size_t>(n - rank)];
  }
  const double iqr = result.q3 - result.q1;
  if (result.median > 0) result.noise_rel = iqr / result.median;
  const Fences fences = fences_of(result.q1, result.q3);
  result.outliers =
      std::ranges::count_if(sorted, [&](double time) { return fences.excludes(time); });
  return result;
}

void fill_record(const Statistics& statistics, Record& record) {
  record[columns::samples] = statistics.samples;
  record[columns::outliers] = statistics.outliers;
  record[columns::noise_rel] = statistics.noise_rel;
  record[columns::time_median_us] = statistics.median;
  if (statistics.ci95_lo) record[columns::time_ci95_lo_us] = *statistics.ci95_lo;
  if (statistics.ci95_hi) record[columns::time_ci95_hi_us] = *statistics.ci95_hi;
  record[columns::time_min_us] = statistics.min;
  record[columns::time_q1_us] = statistics.q1;
  record[columns::time_q3_us] = statistics.q3;
  record[columns::time_p95_us] = statistics.p95;
  record[columns::time_mean_us] = statistics.mean;
  record[columns::time_std_us] = statistics.std;
}

}  // namespace spb::bench
