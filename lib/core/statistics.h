// SPDX-License-Identifier: Apache-2.0
// The statistics of timed samples that measuring and comparing share.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

namespace spb {

/// Quantile of ascending values, interpolated linearly between order statistics (type 7:
/// position (n - 1) * p). `sorted` must not be empty.
double quantile(std::span<const double> sorted, double p);

/// Of values in any order; 0 for none.
double median(std::vector<double> values);

/// The times of one round that count: those of samples that were not throttled, unless fewer than
/// ten are left: then all of them, and the row's status is "throttled".
std::vector<double> counted_times(std::span<const double> unthrottled,
                                  std::span<const double> throttled);

/// Times of one row: samples by round.
using Rounds = std::vector<std::vector<double>>;

/// Draws whole numbers, the same for the same seed: SplitMix64 (Steele, Lea & Flood, OOPSLA 2014),
/// which passes BigCrush and costs a nanosecond, of which a comparison draws by the hundred
/// million.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  /// In [0, count); the bias is below count / 2^32.
  size_t below(size_t count);

 private:
  uint64_t state_;
};

/// Medians of resamples: drift between rounds exceeds noise within one, hence rounds are resampled
/// first, then samples within them (Kalibera & Jones, "Rigorous benchmarking in reasonable time",
/// ISMM 2013).
class MedianResampler {
 public:
  explicit MedianResampler(const Rounds& rounds);

  /// The median of one resample.
  double draw(Random& random);
  size_t size() const { return sorted_.size(); }
  /// What varies independently: rounds, or the samples of a single one.
  size_t units() const { return places_.size() > 1 ? places_.size() : sorted_.size(); }

 private:
  size_t place_of(size_t order) const;

  std::vector<double> sorted_;
  std::vector<std::vector<uint32_t>> places_;  // [round][sample]: its value's place in sorted_
  std::vector<uint32_t> counts_;               // of the draws, by place
};

/// The share of resamples beyond each end of a 95 % interval. Few units make percentiles of
/// resamples too narrow: the tails are those of Student's t (the expanded percentile interval of
/// Hesterberg, "What teachers should know about the bootstrap", 2015, section 4.4).
double expanded_tail(size_t units, size_t degrees_of_freedom);

}  // namespace spb
