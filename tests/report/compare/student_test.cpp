// SPDX-License-Identifier: Apache-2.0
#include "report/compare/student.h"

#include <cmath>
#include <gtest/gtest.h>
#include <limits>
#include <vector>

namespace spb::report {
namespace {

TEST(Student, FewDegreesReachFurther) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  EXPECT_NEAR(student_reach(0.025, kInfinity), 1.959964, 1e-6);
  EXPECT_NEAR(student_reach(0.025, 2), 4.302653, 1e-6);  // any table of t
  EXPECT_NEAR(student_tail(student_reach(0.001, 8), 8), 0.001, 1e-12);
}

TEST(Student, OfRatiosThatVaryDifferently) {
  const std::vector<double> base{1, std::exp(0.02)}, next{std::exp(0.1), std::exp(0.1)};
  const LogRatio ratio = log_ratio(base, next);
  EXPECT_NEAR(ratio.value, 0.09, 1e-12);
  EXPECT_NEAR(ratio.error, 0.01, 1e-12);
  EXPECT_NEAR(ratio.degrees_of_freedom, 1, 1e-9) << "one side alone varies";
  EXPECT_NEAR(log_ratio(base, base).degrees_of_freedom, 2, 1e-9);
  EXPECT_EQ(ratio.most_degrees, 2);
  EXPECT_EQ(log_ratio(next, next).error, 0);
}

}  // namespace
}  // namespace spb::report
