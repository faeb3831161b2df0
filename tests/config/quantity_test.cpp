// SPDX-License-Identifier: Apache-2.0
#include "config/quantity.h"

#include <gtest/gtest.h>

#include "expect_error.h"

namespace spb::config {
namespace {

TEST(Quantity, TimesHaveUnits) {
  EXPECT_DOUBLE_EQ(parse_time_s("2", "--x"), 2);
  EXPECT_DOUBLE_EQ(parse_time_s("2", "--x", 1e-6), 2e-6);
  EXPECT_DOUBLE_EQ(parse_time_s("500ms", "--x"), 0.5);
  EXPECT_DOUBLE_EQ(parse_time_s("1.5us", "--x"), 1.5e-6);
  EXPECT_DOUBLE_EQ(parse_time_s("3µs", "--x"), 3e-6);
  EXPECT_DOUBLE_EQ(parse_time_s("10m", "--x"), 600);
  EXPECT_DOUBLE_EQ(parse_time_s("2h", "--x"), 7200);
  for (const char* text : {"", "s", "-1s", "2 s", "2sec", "nan", "inf", "1e999s"})
    expect_error([&] { parse_time_s(text, "--x"); }, "--x");
}

TEST(Quantity, SharesArePercent) {
  EXPECT_DOUBLE_EQ(parse_percent("3%", "--x"), 0.03);
  EXPECT_DOUBLE_EQ(parse_percent("3", "--x"), 0.03);
  expect_error([&] { parse_percent("3ms", "--x"); }, "--x");
}

}  // namespace
}  // namespace spb::config
