#include "report/bootstrap.h"

#include <algorithm>
#include <boost/math/distributions/normal.hpp>
#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <map>
#include <numeric>

namespace spb::report {
namespace {

/// SplitMix64 (Steele, Lea & Flood, OOPSLA 2014): passes BigCrush and costs a nanosecond, of which
/// a comparison draws by the hundred million.
class Random {
 public:
  explicit Random(uint64_t seed) : state_(seed) {}
  size_t below(size_t count) {
    state_ += 0x9E3779B97F4A7C15u;
    uint64_t bits = (state_ ^ (state_ >> 30)) * 0xBF58476D1CE4E5B9u;
    bits = (bits ^ (bits >> 27)) * 0x94D049BB133111EBu;
    return static_cast<size_t>(((bits ^ (bits >> 31)) >> 32) * count >> 32);
  }

 private:
  uint64_t state_;
};

/// Medians of resamples without sorting them: a draw counts the place of its value among all.
class MedianResampler {
 public:
  explicit MedianResampler(const Rounds& rounds) {
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

  double draw(Random& random) {
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

  size_t size() const { return sorted_.size(); }
  /// What varies independently: rounds, or the samples of a single one.
  size_t units() const { return places_.size() > 1 ? places_.size() : sorted_.size(); }

 private:
  /// Of the drawn value with `order` others before it.
  size_t place_of(size_t order) const {
    size_t place = 0;
    for (size_t before = counts_[0]; before <= order; before += counts_[place]) ++place;
    return place;
  }

  std::vector<double> sorted_;
  std::vector<std::vector<uint32_t>> places_;  // [round][sample]: its value's place in sorted_
  std::vector<uint32_t> counts_;               // of the draws, by place
};

/// The share of resamples beyond each end of a 95 % interval.
double expanded_tail(size_t base_units, size_t next_units) {
  const auto units = static_cast<double>(std::min(base_units, next_units));
  const boost::math::students_t t(static_cast<double>(base_units + next_units - 2));
  const double reach = std::sqrt(units / (units - 1)) * quantile(complement(t, 0.025));
  return cdf(boost::math::normal(), -reach);
}

}  // namespace

std::optional<Interval> ratio_interval(const Rounds& base, const Rounds& next,
                                       const BootstrapOptions& options) {
  constexpr size_t kDraws = 20'000'000;  // a tenth of a second
  for (const Rounds* side : {&base, &next})
    for (const auto& round : *side)
      if (!std::ranges::all_of(round, [](double time) { return time > 0; })) return {};
  MedianResampler below(base), above(next);
  if (below.units() < 2 || above.units() < 2) return {};
  const size_t affordable = std::max<size_t>(1000, kDraws / (below.size() + above.size()));
  std::vector<double> ratios(std::min(static_cast<size_t>(options.resamples), affordable));
  Random random(options.seed);
  for (double& ratio : ratios) {
    const double denominator = below.draw(random);
    ratio = above.draw(random) / denominator;
  }
  std::ranges::sort(ratios);
  const double tail = expanded_tail(below.units(), above.units());
  const auto left_out = static_cast<size_t>(tail * static_cast<double>(ratios.size()));
  return Interval{ratios[left_out], ratios[ratios.size() - 1 - left_out]};
}

double mann_whitney_p(std::span<const double> a, std::span<const double> b) {
  std::vector<double> all(a.begin(), a.end());
  all.insert(all.end(), b.begin(), b.end());
  std::ranges::sort(all);
  // Twice the mean rank of equal values is whole.
  const auto double_rank = [&](double value) {
    const auto [first, last] = std::equal_range(all.begin(), all.end(), value);
    return (first - all.begin()) + (last - all.begin()) + 1;
  };
  ptrdiff_t found = 0;
  for (const double value : a) found += double_rank(value);
  // ways[k][sum]: how many choices of k values have this sum of doubled ranks.
  std::vector<std::map<ptrdiff_t, double>> ways(a.size() + 1);
  ways[0][0] = 1;
  for (const double value : all)
    for (size_t k = a.size(); k > 0; --k)
      for (const auto& [sum, count] : ways[k - 1]) ways[k][sum + double_rank(value)] += count;
  const auto mean = static_cast<ptrdiff_t>(a.size() * (all.size() + 1));
  double extreme = 0, total = 0;
  for (const auto& [sum, count] : ways[a.size()]) {
    total += count;
    if (std::abs(sum - mean) >= std::abs(found - mean)) extreme += count;
  }
  return extreme / total;
}

std::vector<double> benjamini_hochberg(std::span<const double> p) {
  std::vector<size_t> order(p.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return p[i]; });
  std::vector<double> adjusted(p.size());
  double least = 1;
  for (size_t rank = p.size(); rank > 0; --rank) {
    const size_t i = order[rank - 1];
    least = std::min(least, p[i] * static_cast<double>(p.size()) / static_cast<double>(rank));
    adjusted[i] = least;
  }
  return adjusted;
}

}  // namespace spb::report
