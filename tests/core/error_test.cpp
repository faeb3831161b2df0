// SPDX-License-Identifier: Apache-2.0
#include "core/error.h"

#include <gtest/gtest.h>

namespace spb {
namespace {

TEST(Error, SaysWhereWhatAndFixInOneLine) {
  const Error error = usage_error("--dtypes", "\"x\" is unknown", "use f16");
  EXPECT_STREQ(error.what(), "--dtypes: \"x\" is unknown; use f16");
  EXPECT_EQ(error.code(), ExitCode::usage);
}

TEST(Error, FixMayBeMissing) {
  const Error error = input_error("a.bin, byte 7", "file ends inside a row");
  EXPECT_STREQ(error.what(), "a.bin, byte 7: file ends inside a row");
  EXPECT_EQ(error.code(), ExitCode::runtime);
}

TEST(Error, LineEndsFromFilesDoNotBreakTheLine) {
  EXPECT_STREQ(input_error("a\nb", "c\r\nd", "e\n").what(), "a b: c  d; e ");
}

TEST(Error, WhatAFileHoldsDoesNotSteerATerminal) {
  EXPECT_STREQ(input_error("a", "\x1b[2Jb\tc").what(), "a: ?[2Jb c");
}

TEST(ExitCode, NumbersAreTheContractOfTheCommandLine) {
  EXPECT_EQ(static_cast<int>(ExitCode::incorrect), 1);
  EXPECT_EQ(static_cast<int>(ExitCode::usage), 2);
  EXPECT_EQ(static_cast<int>(ExitCode::gate), 3);
  EXPECT_EQ(static_cast<int>(ExitCode::runtime), 4);
  EXPECT_EQ(static_cast<int>(ExitCode::nothing), 5);
  EXPECT_EQ(static_cast<int>(ExitCode::interrupted), 130);
}

}  // namespace
}  // namespace spb
