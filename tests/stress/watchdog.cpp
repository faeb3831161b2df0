// SPDX-License-Identifier: Apache-2.0
#include "stress/watchdog.h"

#include <cstdio>
#include <cstdlib>
#include <utility>

namespace spb {

using std::chrono::steady_clock;

Watchdog::Watchdog(std::chrono::seconds limit)
    : limit_(limit),
      deadline_(steady_clock::now() + limit),
      thread_([this](const std::stop_token& stop) { watch(stop); }) {}

void Watchdog::begin(std::string work) {
  const std::lock_guard lock(mutex_);
  work_ = std::move(work);
  deadline_ = steady_clock::now() + limit_;
}

void Watchdog::watch(const std::stop_token& stop) {
  std::unique_lock lock(mutex_);
  while (!stop.stop_requested()) {
    changed_.wait_until(lock, stop, deadline_, [] { return false; });
    if (stop.stop_requested() || steady_clock::now() < deadline_) continue;
    std::fprintf(stderr, "hangs for %lld s: %s\n", static_cast<long long>(limit_.count()),
                 work_.c_str());
    std::_Exit(124);
  }
}

}  // namespace spb
