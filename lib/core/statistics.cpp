// SPDX-License-Identifier: Apache-2.0
#include "core/statistics.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>

namespace spb {

double quantile(std::span<const double> sorted, double p) {
  const double position = static_cast<double>(sorted.size() - 1) * p;
  const auto below = static_cast<size_t>(position);
  const size_t above = std::min(below + 1, sorted.size() - 1);
  return sorted[below] + (position - static_cast<double>(below)) * (sorted[above] - sorted[below]);
}

double median(std::vector<double> values) {
  if (values.empty()) return 0;
  std::ranges::sort(values);
  return quantile(values, 0.5);
}

std::vector<double> counted_times(std::span<const double> unthrottled,
                                  std::span<const double> throttled) {
  constexpr size_t kLeast = 10;
  std::vector<double> times(unthrottled.begin(), unthrottled.end());
  if (times.size() < kLeast) times.insert(times.end(), throttled.begin(), throttled.end());
  return times;
}

size_t Random::below(size_t count) {
  state_ += 0x9E3779B97F4A7C15u;
  uint64_t bits = (state_ ^ (state_ >> 30)) * 0xBF58476D1CE4E5B9u;
  bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
  return static_cast<size_t>(((bits ^ (bits >> 31)) >> 32) * count >> 32);
}

// Without sorting resamples: a draw counts the place of its value among all.
MedianResampler::MedianResampler(const Rounds& rounds) {
  for (const auto& round : rounds) sorted_.insert(sorted_.end(), round.begin(), round.end());
  std::ranges::sort(sorted_);
  for (const auto& round : rounds) {
    auto& places = places_.emplace_back();
    for (const double value : round)
      places.push_back(
          static_cast<uint32_t>(std::ranges::lower_bound(sorted_, value) - sorted_.begin()));
  }
  counts_.resize(sorted_.size());
}

double MedianResampler::draw(Random& random) {
  std::ranges::fill(counts_, 0u);
  size_t drawn = 0;
  for (size_t i = 0; i < places_.size(); ++i) {
    const auto& places = places_[places_.size() == 1 ? 0 : random.below(places_.size())];
    for (size_t sample = 0; sample < places.size(); ++sample)
      ++counts_[places[random.below(places.size())]];
    drawn += places.size();
  }
  const size_t low = place_of((drawn - 1) / 2);
  const size_t high = drawn % 2 == 1 ? low : place_of(drawn / 2);
  return (sorted_[low] + sorted_[high]) / 2;
}

/// Of the drawn value with `order` others before it.
size_t MedianResampler::place_of(size_t order) const {
  size_t place = 0;
  for (size_t before = counts_[0]; before <= order; before += counts_[place]) ++place;
  return place;
}

double expanded_tail(size_t units, size_t degrees_of_freedom) {
  const auto n = static_cast<double>(units);
  const boost::math::students_t t(static_cast<double>(degrees_of_freedom));
  const double reach = std::sqrt(n / (n - 1)) * quantile(complement(t, 0.025));
  return cdf(boost::math::normal(), -reach);
}

}  // namespace spb
