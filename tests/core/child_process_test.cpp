// SPDX-License-Identifier: Apache-2.0
#include "core/child_process.h"

#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <sys/wait.h>
#include <unistd.h>

namespace spb {
namespace {

double seconds_of(const auto& call) {
  const auto begin = std::chrono::steady_clock::now();
  call();
  return std::chrono::duration<double>(std::chrono::steady_clock::now() - begin).count();
}

/// A child that exits with this code; it sleeps before when `sleeps`.
pid_t child_of(int code, bool sleeps) {
  const pid_t child = fork();
  if (child != 0) return child;
  if (sleeps) sleep(3600);
  _exit(code);
}

TEST(ChildProcess, TellsHowItEnded) {
  const auto status = wait_for_child(child_of(7, false), 60);
  ASSERT_TRUE(status);
  EXPECT_TRUE(WIFEXITED(*status));
  EXPECT_EQ(WEXITSTATUS(*status), 7);
  const ChildEnd end = end_child(child_of(3, false), 60);
  EXPECT_FALSE(end.was_killed);
  EXPECT_EQ(WEXITSTATUS(end.status.value()), 3);
}

TEST(ChildProcess, WaitsNoLongerThanItsLimit) {
  const pid_t child = child_of(0, true);
  const double waited_s = seconds_of([&] { EXPECT_FALSE(wait_for_child(child, 0.3)); });
  EXPECT_GE(waited_s, 0.3);
  EXPECT_LT(waited_s, 30);
  EXPECT_EQ(kill(child, 0), 0) << "it still runs";
  EXPECT_TRUE(end_child(child, 0).was_killed);
}

TEST(ChildProcess, KillsWhatRunsOnAlsoWhereItIsStopped) {
  for (const int signal : {0, SIGSTOP}) {
    const pid_t child = child_of(0, true);
    kill(child, signal);
    ChildEnd end;
    EXPECT_LT(seconds_of([&] { end = end_child(child, 0.2); }), 30);
    EXPECT_TRUE(end.was_killed);
    ASSERT_TRUE(end.status);
    EXPECT_TRUE(WIFSIGNALED(*end.status));
    EXPECT_EQ(WTERMSIG(*end.status), SIGKILL);
    EXPECT_EQ(kill(child, 0), -1) << "nothing of it is left";
  }
}

}  // namespace
}  // namespace spb
