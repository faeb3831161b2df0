// SPDX-License-Identifier: Apache-2.0
#include "report/records/file_lock.h"

#include <chrono>
#include <csignal>
#include <optional>
#include <sys/wait.h>
#include <thread>
#include <unistd.h>

#include "core/error.h"
#include "report/samples.h"

namespace spb::report {
namespace {

class FileLockTest : public ReportTest {
 protected:
  const std::filesystem::path guarded_ = folder_ / "new" / "records.jsonl";
  std::string lock_text() const { return content(folder_ / "new" / "records.jsonl.lock"); }
};

TEST_F(FileLockTest, OneHasItTheOtherIsToldWho) {
  std::optional<FileLock> first;
  first.emplace(guarded_, 0);
  EXPECT_EQ(first->other(), "");
  EXPECT_EQ(first->failure(), "");
  const std::string name = "process " + std::to_string(getpid()) + " on ";
  EXPECT_TRUE(lock_text().starts_with(name)) << lock_text();
  const auto begin = std::chrono::steady_clock::now();
  {
    const FileLock second(guarded_, 0.2);
    EXPECT_TRUE(second.other().starts_with(name)) << second.other();
  }
  EXPECT_GE(std::chrono::steady_clock::now() - begin, std::chrono::milliseconds(200));
  EXPECT_TRUE(lock_text().starts_with(name)) << "the refused one takes nothing from the holder";
  EXPECT_NE(FileLock(guarded_, 0).other(), "") << "nor the lock";
  first.reset();
  EXPECT_EQ(lock_text(), "");
  EXPECT_EQ(FileLock(guarded_, 0).other(), "");
}

TEST_F(FileLockTest, WaitsForWhoEndsInTime) {
  std::optional<FileLock> first;
  first.emplace(guarded_, 0);
  std::thread end([&] {
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
    first.reset();
  });
  EXPECT_EQ(FileLock(guarded_, 60).other(), "");
  end.join();
}

TEST_F(FileLockTest, AKilledHolderLeavesItFree) {
  const pid_t child = fork();
  if (child == 0) {
    const FileLock lock(guarded_, 0);
    sleep(3600);
    _exit(0);
  }
  const std::string name = "process " + std::to_string(child) + " on ";
  while (!lock_text().starts_with(name)) std::this_thread::sleep_for(std::chrono::milliseconds(1));
  EXPECT_TRUE(FileLock(guarded_, 0).other().starts_with(name));
  kill(child, SIGKILL);
  ASSERT_EQ(waitpid(child, nullptr, 0), child);
  EXPECT_TRUE(lock_text().starts_with(name)) << "what a crash leaves";
  EXPECT_EQ(FileLock(guarded_, 0).other(), "");
}

TEST_F(FileLockTest, AFolderThatCannotBeMadeIsNamed) {
  write(folder_ / "file", "");
  try {
    const FileLock lock(folder_ / "file" / "out" / "records.jsonl", 0);
    ADD_FAILURE();
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::runtime);
    EXPECT_NE(std::string(error.what()).find("cannot be made"), std::string::npos) << error.what();
  }
}

}  // namespace
}  // namespace spb::report
