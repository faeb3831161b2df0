// SPDX-License-Identifier: Apache-2.0
#include "report/text/table_layout.h"

#include <cmath>
#include <gtest/gtest.h>
#include <utility>

namespace spb::report {
namespace {

TEST(ThreeDigits, AtEverySize) {
  const std::pair<double, const char*> cases[] = {
      {0, "0"},          {1, "1.00"},      {12.345, "12.3"}, {412.34, "412"},      {9.996, "10.0"},
      {99.96, "100"},    {999.6, "1000"},  {12345, "12300"}, {0.012345, "0.0123"}, {0.9996, "1.00"},
      {-1.234, "-1.23"}, {1e6, "1000000"}, {NAN, ""},
  };
  for (const auto& [value, text] : cases) EXPECT_EQ(three_digits(value), text) << value;
}

TEST(Units, SuitTheValue) {
  EXPECT_EQ(time_text(412.34), "412 µs");
  EXPECT_EQ(time_text(1500), "1.50 ms");
  EXPECT_EQ(time_text(2.5e6), "2.50 s");
  EXPECT_EQ(time_text(0.25), "0.250 µs");
  EXPECT_EQ(bytes_text(512), "512 B");
  EXPECT_EQ(bytes_text(12345678), "12.3 MB");
}

TEST(DisplayWidth, CountsCharactersNotBytes) { EXPECT_EQ(display_width("µs ±"), 4u); }

}  // namespace
}  // namespace spb::report
