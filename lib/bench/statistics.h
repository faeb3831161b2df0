// SPDX-License-Identifier: Apache-2.0
// What is reported of a list of timed samples (measurement.md, section 8).
#pragma once

#include <cstdint>
#include <optional>
#include <span>

#include "core/record.h"
#include "core/statistics.h"

namespace spb::bench {

/// Order statistics of one round of samples; times in microseconds.
struct Statistics {
  int64_t samples = 0;
  double median = 0, min = 0, q1 = 0, q3 = 0, p95 = 0, mean = 0;
  double std = 0;                          ///< of the sample (n - 1); 0 for one sample
  std::optional<double> ci95_lo, ci95_hi;  ///< of the median; fewer than 6 samples have none
  double noise_rel = 0;                    ///< IQR / median
  int64_t outliers = 0;                    ///< beyond 3 IQR from the quartiles; counted, kept
};

using spb::quantile;

/// Largest rank j with P(Bin(n, 1/2) < j) <= 0.025, or 0 when there is none (n < 6). The order
/// statistics j and n + 1 - j (counted from 1) bound the median with 95 % confidence.
int64_t median_ci_rank(int64_t n);

/// Tukey's outer fences: samples beyond 3 IQR from the quartiles are outliers.
struct Fences {
  double lo = 0, hi = 0;
  bool excludes(double time_us) const { return time_us < lo || time_us > hi; }
};
Fences outlier_fences(std::span<const double> samples_us);

/// Throws std::logic_error for no samples or one that is not finite.
Statistics summarize(std::span<const double> samples_us);

/// Writes the columns samples, outliers, noise_rel and time_*_us.
void fill_record(const Statistics& statistics, Record& record);

}  // namespace spb::bench
