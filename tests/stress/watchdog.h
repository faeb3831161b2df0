// SPDX-License-Identifier: Apache-2.0
// Ends a process whose work hangs: a barrier that waits for ever answers no signal.
#pragma once

#include <chrono>
#include <condition_variable>
#include <mutex>
#include <string>
#include <thread>

namespace spb {

class Watchdog {
 public:
  /// The process ends with exit code 124 when begin() or the constructor lies `limit` back.
  explicit Watchdog(std::chrono::seconds limit);

  /// What is done from now on: said in one line when it does not end.
  void begin(std::string work);

 private:
  void watch(const std::stop_token& stop);

  const std::chrono::seconds limit_;
  std::mutex mutex_;
  std::condition_variable_any changed_;
  std::string work_ = "start";
  std::chrono::steady_clock::time_point deadline_;
  std::jthread thread_;  // last: it uses all of the above
};

}  // namespace spb
