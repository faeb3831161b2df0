// SPDX-License-Identifier: Apache-2.0
#include "report/compare/student.h"

#include <boost/math/distributions/students_t.hpp>
#include <cmath>
#include <utility>

namespace spb::report {

double student_reach(double tail, double degrees_of_freedom) {
  return quantile(complement(boost::math::students_t(degrees_of_freedom), tail));
}

double student_tail(double reach, double degrees_of_freedom) {
  return cdf(complement(boost::math::students_t(degrees_of_freedom), reach));
}

LogRatio log_ratio(std::span<const double> base, std::span<const double> next) {
  LogRatio ratio;
  double variance = 0, freedom = 0;
  for (const auto& [side, sign] : {std::pair(base, -1.0), {next, 1.0}}) {
    const auto n = static_cast<double>(side.size());
    double mean = 0, squares = 0;
    for (const double value : side) mean += std::log(value) / n;
    for (const double value : side) squares += (std::log(value) - mean) * (std::log(value) - mean);
    const double of_mean = squares / (n - 1) / n;
    ratio.value += sign * mean;
    variance += of_mean;
    freedom += of_mean * of_mean / (n - 1);
    ratio.most_degrees += n - 1;
  }
  ratio.error = std::sqrt(variance);
  ratio.degrees_of_freedom = variance > 0 ? variance * variance / freedom : 1;
  return ratio;
}

}  // namespace spb::report
