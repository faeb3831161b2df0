// SPDX-License-Identifier: Apache-2.0
// How sure a ratio of two medians is.
#pragma once

#include <cstddef>
#include <cstdint>
#include <optional>
#include <span>
#include <vector>

#include "core/statistics.h"

namespace spb::report {

struct Interval {
  double lo = 0, hi = 0;
};

struct BootstrapOptions {
  int resamples = 10000;
  uint64_t seed = 0;
};

/// How often `samples` of both sides are resampled: by the ten thousand less often than asked for,
/// so that it takes no longer, but at least 1000 times.
size_t resample_count(size_t samples, const BootstrapOptions& options);

struct ResampledInterval : Interval {
  double degrees_of_freedom = 0;  ///< of Student's t, by what varies independently
};

/// 95 % interval of median(next) / median(base), all samples of a side pooled, from
/// resample_count() resampled medians (core/statistics.h): percentiles where these reach as far,
/// else Student's t. Nothing when a side has fewer than two samples. Same input, same interval.
std::optional<ResampledInterval> ratio_interval(const Rounds& base, const Rounds& next,
                                                const BootstrapOptions& options);

/// Two-sided exact p of the Mann-Whitney test: how probable ranks as uneven as these are when both
/// sides come from one distribution. Equal values share their mean rank, each assignment of the
/// ranks counts. Meant for the medians of few rounds: up to 20 values a side.
double mann_whitney_p(std::span<const double> a, std::span<const double> b);

/// Benjamini & Hochberg: the p values adjusted for their number; those of at most q are a list in
/// which no more than the share q is expected to be false.
std::vector<double> benjamini_hochberg(std::span<const double> p);

/// Holm ("A simple sequentially rejective multiple test procedure", Scandinavian Journal of
/// Statistics 6, 1979): the p values adjusted for their number; that any of those of at most q is
/// false has at most the probability q, however they depend on each other.
std::vector<double> holm(std::span<const double> p);

}  // namespace spb::report
