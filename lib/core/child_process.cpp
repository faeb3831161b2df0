// SPDX-License-Identifier: Apache-2.0
#include "core/child_process.h"

#include <algorithm>
#include <cerrno>
#include <chrono>
#include <csignal>
#include <sys/wait.h>
#include <thread>

namespace spb {
namespace {

using Clock = std::chrono::steady_clock;
using Seconds = std::chrono::duration<double>;

constexpr double kFirstPauseS = 0.0005, kLongestPauseS = 0.05;
constexpr double kKillS = 10;  // what is killed ends at once, unless it hangs in the system

}  // namespace

std::optional<int> wait_for_child(pid_t child, double limit_s) {
  const Clock::time_point begin = Clock::now();
  for (double pause_s = kFirstPauseS;; pause_s = std::min(2 * pause_s, kLongestPauseS)) {
    int status = 0;
    const pid_t ended = waitpid(child, &status, WNOHANG);
    // Where the starter of this program ignores SIGCHLD, nobody is told how a child ended.
    if (ended == child || (ended < 0 && errno != EINTR)) return status;
    const double left_s = limit_s - Seconds(Clock::now() - begin).count();
    if (left_s <= 0) return std::nullopt;
    std::this_thread::sleep_for(Seconds(std::min(pause_s, left_s)));
  }
}

ChildEnd end_child(pid_t child, double limit_s) {
  if (const auto status = wait_for_child(child, limit_s)) return {status, false};
  kill(child, SIGKILL);
  return {wait_for_child(child, kKillS), true};
}

}  // namespace spb
