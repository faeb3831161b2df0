// SPDX-License-Identifier: Apache-2.0
#include "report/records/append_file.h"

#include <cerrno>
#include <csignal>
#include <sys/resource.h>
#include <sys/syscall.h>
#include <unistd.h>

#include "core/error.h"
#include "report/samples.h"

namespace {
int sync_error = 0;  // 0: none
}

/// In the place of the system's, for a disk that refuses late.
extern "C" int fsync(int descriptor) {
  if (sync_error == 0) return static_cast<int>(syscall(SYS_fsync, descriptor));
  errno = sync_error;
  return -1;
}

namespace spb::report {
namespace {

using AppendFileTest = ReportTest;

TEST_F(AppendFileTest, CreatesMissingFoldersAndAppends) {
  const auto path = folder_ / "a" / "b" / "file.txt";
  {
    AppendFile file(path);
    EXPECT_TRUE(file.was_empty());
    file.write("one\n");
    EXPECT_EQ(content(path), "one\n") << "a line must be on disk at once";
  }
  AppendFile file(path);
  EXPECT_FALSE(file.was_empty());
  file.write("two\n");
  EXPECT_EQ(content(path), "one\ntwo\n");
}

TEST_F(AppendFileTest, DropsACutOffLastLine) {
  write(folder_ / "file", "one\ntw");
  AppendFile(folder_ / "file").write("three\n");
  EXPECT_EQ(content(folder_ / "file"), "one\nthree\n");
  write(folder_ / "short", "on");
  AppendFile file(folder_ / "short");
  EXPECT_TRUE(file.was_empty());
  EXPECT_EQ(content(folder_ / "short"), "");
}

TEST_F(AppendFileTest, UnwritableIsAnInputErrorNamingThePath) {
  write(folder_ / "file", "");
  for (const auto& path : {folder_ / "file" / "below" / "x.csv", folder_}) try {
      AppendFile file(path);
      ADD_FAILURE() << path;
    } catch (const Error& error) {
      EXPECT_EQ(error.code(), ExitCode::runtime);
      EXPECT_NE(std::string(error.what()).find(folder_.string()), std::string::npos);
    }
}

TEST_F(AppendFileTest, AFullDiskIsNoticed) {
  if (!std::filesystem::exists("/dev/full")) GTEST_SKIP() << "no /dev/full on this system";
  AppendFile file("/dev/full");
  try {
    file.write("lost\n");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::runtime);
    EXPECT_NE(std::string(error.what()).find("No space left"), std::string::npos) << error.what();
  }
}

TEST_F(AppendFileTest, AWriteThatFailsHalfWayIsNoticed) {
  AppendFile file(folder_ / "file");
  file.write("fits\n");
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{8, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(file.write("does not fit\n"), Error);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
}

TEST_F(AppendFileTest, ReplacingKeepsLinksAndDevicesAndLeavesNothingBehind) {
  namespace fs = std::filesystem;
  fs::create_directories(folder_);
  replace_text(folder_ / "target", "old");
  fs::create_symlink("target", folder_ / "link");
  replace_text(folder_ / "link", "new");
  EXPECT_TRUE(fs::is_symlink(folder_ / "link"));
  EXPECT_EQ(read_text(folder_ / "target"), "new");
  replace_text("/dev/null", "gone");
  EXPECT_TRUE(fs::is_character_file("/dev/null"));
  fs::create_symlink("/dev/null", folder_ / "null");
  replace_text(folder_ / "null", "gone");
  EXPECT_TRUE(fs::is_symlink(folder_ / "null"));
  fs::create_directories(folder_ / "folder" / "inner");
  EXPECT_THROW(replace_text(folder_ / "folder", "text"), Error);
  EXPECT_FALSE(fs::exists(folder_ / "folder.tmp"));
  rlimit before{};
  getrlimit(RLIMIT_FSIZE, &before);
  const auto handler = std::signal(SIGXFSZ, SIG_IGN);
  const rlimit small{2, before.rlim_max};
  setrlimit(RLIMIT_FSIZE, &small);
  EXPECT_THROW(replace_text(folder_ / "target", "does not fit"), Error);
  setrlimit(RLIMIT_FSIZE, &before);
  std::signal(SIGXFSZ, handler);
  EXPECT_EQ(read_text(folder_ / "target"), "new");
  EXPECT_FALSE(fs::exists(folder_ / "target.tmp"));
}

TEST_F(AppendFileTest, WhatADiskRefusesLateReplacesNothing) {
  namespace fs = std::filesystem;
  replace_text(folder_ / "file", "old");
  sync_error = EDQUOT;
  try {
    replace_text(folder_ / "file", "new");
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::runtime);
    EXPECT_NE(std::string(error.what()).find("quota"), std::string::npos) << error.what();
  }
  EXPECT_EQ(read_text(folder_ / "file"), "old");
  EXPECT_FALSE(fs::exists(folder_ / "file.tmp"));
  sync_error = EINVAL;  // of what cannot be synced
  replace_text(folder_ / "file", "new");
  EXPECT_EQ(read_text(folder_ / "file"), "new");
  sync_error = 0;
}

TEST_F(AppendFileTest, ReadTextNamesWhatItCannotRead) {
  EXPECT_THROW(read_text(folder_ / "missing"), Error);
  EXPECT_THROW(read_text(folder_), Error);
}

}  // namespace
}  // namespace spb::report
