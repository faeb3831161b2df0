// SPDX-License-Identifier: Apache-2.0
#include "config/lists.h"

#include "config/expect_error.h"

namespace spb::config {
namespace {

using Ints = std::vector<int>;

TEST(SplitList, TrimsAndRefusesEmptyElements) {
  EXPECT_EQ(split_list("a, b ,c", "--x"), (std::vector<std::string>{"a", "b", "c"}));
  for (const char* text : {"", "a,", ",a", "a,,b", " "})
    expect_error([&] { split_list(text, "--x"); }, "--x: ");
}

TEST(ParseIntegers, RangesIncludeTheirEnds) {
  EXPECT_EQ(parse_integers("16-256*2", "--x"), (Ints{16, 32, 64, 128, 256}));
  EXPECT_EQ(parse_integers("8-64+8", "--x"), (Ints{8, 16, 24, 32, 40, 48, 56, 64}));
  EXPECT_EQ(parse_integers("16-255*2", "--x"), (Ints{16, 32, 64, 128}));
  EXPECT_EQ(parse_integers("1-4,9", "--x"), (Ints{1, 2, 3, 4, 9}));
  EXPECT_EQ(parse_integers("5-5*2", "--x"), (Ints{5}));
  EXPECT_EQ(parse_integers("1-2147483647*2", "--x").size(), 31u);
}

TEST(ParseIntegers, RefusesNonsense) {
  for (const char* text :
       {"0", "-1", "a", "1.5", "16-", "-16", "16-8", "8-64*1", "8-64+0", "8-64-8", "8-64*", "8*2",
        "3 4", "2147483648", "1-2147483647", "99999999999999999999"})
    expect_error([&] { parse_integers(text, "--x"); }, "--x: ");
}

TEST(ParseChannels, PairsOrOneNumberForBoth) {
  EXPECT_EQ(parse_channels("16:32,64", "--channels"), (std::vector<Channels>{{16, 32}, {64, 64}}));
  EXPECT_EQ(parse_channels("32-128*2", "--channels"),
            (std::vector<Channels>{{32, 32}, {64, 64}, {128, 128}}));
  for (const char* text : {"16:", ":16", "16:0", "16:32:64", "16x32", "16-32:8"})
    expect_error([&] { parse_channels(text, "--channels"); }, "--channels: ");
}

TEST(ParseSizes, OneNumberOrOnePerAxis) {
  EXPECT_EQ(parse_sizes("3,1x1x3", "--k"), (std::vector<Int3>{{3, 3, 3}, {1, 1, 3}}));
  EXPECT_EQ(parse_sizes("3-7+2", "--k"), (std::vector<Int3>{{3, 3, 3}, {5, 5, 5}, {7, 7, 7}}));
  for (const char* text : {"3x3", "3x3x3x3", "x", "three"})
    expect_error([&] { parse_sizes(text, "--k"); }, "--k: ");
}

TEST(ParsePositive, TakesTheWholeText) {
  EXPECT_DOUBLE_EQ(parse_positive("0.05", "--v"), 0.05);
  EXPECT_DOUBLE_EQ(parse_positive("1e-3", "--v"), 1e-3);
  for (const char* text : {"0", "-1", "nan", "inf", "0.05m", "", "1e999"})
    expect_error([&] { parse_positive(text, "--v"); }, "--v: ");
}

TEST(ParseFlag, KnowsItsWords) {
  EXPECT_TRUE(parse_flag("on", "--b"));
  EXPECT_FALSE(parse_flag("0", "--b"));
  expect_error([] { parse_flag("maybe", "--b"); }, "--b: \"maybe\"");
}

TEST(Lists, RangesOfOneListTogetherHaveALimit) {
  std::string ranges = "1-90000", words = "1";
  for (int i = 0; i < 3; ++i) ranges += ",1-90000";
  for (int i = 0; i < 100000; ++i) words += ",1";
  for (const std::string& text : {ranges, words}) {
    expect_error([&] { parse_integers(text, "--x"); }, "--x: the list has over 100000 values");
    expect_error([&] { parse_sizes(text, "--x"); }, "--x: the list has over 100000 values");
  }
  expect_error([&] { parse_channels("1-65536,1-65536", "--x"); }, "over 100000 values");
}

}  // namespace
}  // namespace spb::config
