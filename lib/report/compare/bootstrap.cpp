// SPDX-License-Identifier: Apache-2.0
#include "report/compare/bootstrap.h"

#include <algorithm>
#include <cmath>
#include <map>
#include <numeric>

#include "report/compare/student.h"

namespace spb::report {
namespace {

/// The places of values, the least first.
std::vector<size_t> ascending(std::span<const double> values) {
  std::vector<size_t> order(values.size());
  std::iota(order.begin(), order.end(), size_t{0});
  std::ranges::sort(order, {}, [&](size_t i) { return values[i]; });
  return order;
}

constexpr size_t kLeastBeyond = 10;  // with fewer resamples beyond it, an end is a guess

/// Where resamples cannot show so far an end, as those of two rounds, which reach from one to the
/// other and no further: that of Student's t about the mean of their logarithms.
ResampledInterval student_interval(std::span<const double> ratios, size_t units, size_t freedom) {
  double mean = 0, squares = 0;
  for (const double ratio : ratios) mean += std::log(ratio) / static_cast<double>(ratios.size());
  for (const double ratio : ratios) squares += std::pow(std::log(ratio) - mean, 2);
  const auto n = static_cast<double>(units), degrees = static_cast<double>(freedom);
  // Resamples of n vary by n - 1 of n parts of what n do.
  const double error = std::sqrt(squares / static_cast<double>(ratios.size()) * n / (n - 1));
  const double reach = error * student_reach(0.025, degrees);
  return {{std::exp(mean - reach), std::exp(mean + reach)}, degrees};
}

}  // namespace

size_t resample_count(size_t samples, const BootstrapOptions& options) {
  constexpr size_t kDraws = 20'000'000;  // a tenth of a second
  const size_t affordable = std::max<size_t>(1000, kDraws / std::max<size_t>(samples, 1));
  return std::min(static_cast<size_t>(options.resamples), affordable);
}

std::optional<ResampledInterval> ratio_interval(const Rounds& base, const Rounds& next,
                                                const BootstrapOptions& options) {
  for (const Rounds* side : {&base, &next})
    for (const auto& round : *side)
      if (!std::ranges::all_of(round, [](double time) { return time > 0; })) return {};
  MedianResampler below(base), above(next);
  if (below.units() < 2 || above.units() < 2) return {};
  std::vector<double> ratios(resample_count(below.size() + above.size(), options));
  Random random(options.seed);
  for (double& ratio : ratios) {
    const double denominator = below.draw(random);
    ratio = above.draw(random) / denominator;
  }
  const size_t units = std::min(below.units(), above.units());
  const size_t freedom = below.units() + above.units() - 2;
  const double tail = expanded_tail(units, freedom);
  const auto left_out = static_cast<size_t>(tail * static_cast<double>(ratios.size()));
  if (left_out < kLeastBeyond) return student_interval(ratios, units, freedom);
  std::ranges::sort(ratios);
  return ResampledInterval{{ratios[left_out], ratios[ratios.size() - 1 - left_out]},
                           static_cast<double>(freedom)};
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
  const std::vector<size_t> order = ascending(p);
  std::vector<double> adjusted(p.size());
  double least = 1;
  for (size_t rank = p.size(); rank > 0; --rank) {
    const size_t i = order[rank - 1];
    least = std::min(least, p[i] * static_cast<double>(p.size()) / static_cast<double>(rank));
    adjusted[i] = least;
  }
  return adjusted;
}

std::vector<double> holm(std::span<const double> p) {
  std::vector<double> adjusted(p.size());
  double greatest = 0;
  auto left = static_cast<double>(p.size());
  for (const size_t i : ascending(p)) {
    greatest = std::max(greatest, std::min(1.0, p[i] * left--));
    adjusted[i] = greatest;
  }
  return adjusted;
}

}  // namespace spb::report
