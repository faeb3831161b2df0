// SPDX-License-Identifier: Apache-2.0
#include "data/text_tokens.h"

#include <cmath>
#include <cstdint>
#include <gtest/gtest.h>

namespace spb::data {
namespace {

TEST(ParseNumber, DemandsTheWholeWord) {
  EXPECT_EQ(parse_number<double>("3.1"), 3.1);
  EXPECT_EQ(parse_number<double>("-3.1e+2"), -310);
  // from_chars alone would stop here and say 3.1.
  EXPECT_EQ(parse_number<double>("3.1+e2"), std::nullopt);
  for (const char* word : {"", " 1", "1 ", "1x", "x", "+", "-", "+-1", "++1", "1,5", "0x10"})
    EXPECT_EQ(parse_number<double>(word), std::nullopt) << word;
}

TEST(ParseNumber, SkipsALeadingPlus) {
  EXPECT_EQ(parse_number<double>("+1.5"), 1.5);
  EXPECT_EQ(parse_number<int64_t>("+7"), 7);
}

TEST(ParseNumber, NonFiniteAndOutOfRange) {
  EXPECT_TRUE(std::isnan(*parse_number<double>("nan")));
  EXPECT_TRUE(std::isinf(*parse_number<double>("-inf")));
  EXPECT_EQ(parse_number<double>("1e-999"), 0.0);
  EXPECT_EQ(parse_number<double>("1e999"), std::nullopt);
  EXPECT_EQ(parse_number<int64_t>("9223372036854775808"), std::nullopt);
  EXPECT_EQ(parse_number<int64_t>("1.0"), std::nullopt);
}

TEST(NextLine, TakesBothLineEnds) {
  std::string_view text = "a\r\nb\n\nc";
  EXPECT_EQ(next_line(text), "a");
  EXPECT_EQ(next_line(text), "b");
  EXPECT_EQ(next_line(text), "");
  EXPECT_EQ(next_line(text), "c");
  EXPECT_TRUE(text.empty());
}

TEST(NextWord, SplitsAtBlanks) {
  std::string_view line = "  a\tbc ";
  EXPECT_EQ(next_word(line), "a");
  EXPECT_EQ(next_word(line), "bc");
  EXPECT_EQ(next_word(line), "");
}

}  // namespace
}  // namespace spb::data
