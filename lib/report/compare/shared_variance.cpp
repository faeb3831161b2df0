// SPDX-License-Identifier: Apache-2.0
#include "report/compare/shared_variance.h"

#include <algorithm>
#include <boost/math/distributions/fisher_f.hpp>
#include <boost/math/special_functions/digamma.hpp>
#include <boost/math/special_functions/trigamma.hpp>
#include <cmath>
#include <iterator>

namespace spb::report {
namespace {

constexpr size_t kFewest = 10;
constexpr double kMost = 1e4;         // degrees of freedom that differ from the normal by nothing
constexpr double kOfAnother = 0.001;  // of rows like the others, so many are as noisy by chance

using boost::math::digamma;
using boost::math::trigamma;

/// The variance that all rows have in common, and how many degrees of freedom it is worth.
struct Common {
  double variance = 0, degrees_of_freedom = 0;
};

/// The x at which trigamma, which falls, has this value; at most that of kMost.
double trigamma_inverse(double value) {
  double low = 1e-3, high = kMost / 2;
  for (int step = 0; step < 60; ++step) {
    const double middle = std::sqrt(low * high);
    (trigamma(middle) > value ? low : high) = middle;
  }
  return high;
}

/// By the mean and the variance of the logarithms of the rows' variances, of which those of a chi
/// squared distribution are known.
Common common_variance(const std::vector<LogRatio*>& rows) {
  double mean = 0, squares = 0, by_chance = 0;
  std::vector<double> logarithms;
  for (const LogRatio* row : rows) {
    const double half = row->most_degrees / 2;
    logarithms.push_back(2 * std::log(row->error) - digamma(half) + std::log(half));
    by_chance += trigamma(half) / static_cast<double>(rows.size());
  }
  for (const double one : logarithms) mean += one / static_cast<double>(rows.size());
  for (const double one : logarithms) squares += (one - mean) * (one - mean);
  const double beyond_chance = squares / static_cast<double>(rows.size() - 1) - by_chance;
  const double half = trigamma_inverse(std::max(beyond_chance, 0.0));
  return {std::exp(mean + digamma(half) - std::log(half)), 2 * half};
}

}  // namespace

void share_variance(const std::vector<LogRatio*>& rows) {
  std::vector<LogRatio*> varying;
  std::ranges::copy_if(rows, std::back_inserter(varying),
                       [](const LogRatio* row) { return row->error > 0; });
  if (varying.size() < kFewest) return;
  const Common common = common_variance(varying);
  for (LogRatio* row : rows) {
    const double own = row->error * row->error, freedom = row->degrees_of_freedom;
    const boost::math::fisher_f of_its_kind(freedom, common.degrees_of_freedom);
    if (own > common.variance * quantile(complement(of_its_kind, kOfAnother))) continue;
    const double together = (common.degrees_of_freedom * common.variance + freedom * own) /
                            (common.degrees_of_freedom + freedom);
    row->error = std::sqrt(std::max(own, together));
    row->degrees_of_freedom += common.degrees_of_freedom;
  }
}

}  // namespace spb::report
