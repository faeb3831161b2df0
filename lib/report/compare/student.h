// SPDX-License-Identifier: Apache-2.0
// Student's t, where resamples are too few to show the far ends of a distribution.
#pragma once

#include <span>

namespace spb::report {

/// How far from the middle all but this share lies, at one end. Infinity is the normal
/// distribution.
double student_reach(double tail, double degrees_of_freedom);

/// The share beyond: the inverse of student_reach().
double student_tail(double reach, double degrees_of_freedom);

/// The logarithm of a ratio, which divided by its error is of a Student's t.
struct LogRatio {
  double value = 0, error = 0, degrees_of_freedom = 0;
  double most_degrees = 0;  ///< were the sides to vary alike
};

/// Of two values a side or more, medians of rounds. The sides may vary differently (Welch,
/// "The generalization of 'Student's' problem ...", Biometrika 34, 1947).
LogRatio log_ratio(std::span<const double> base, std::span<const double> next);

}  // namespace spb::report
