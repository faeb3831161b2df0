// SPDX-License-Identifier: Apache-2.0
#include "suite/clock_lock.h"

#include <fmt/format.h>
#include <string>

#include "core/error.h"

namespace spb::suite {

ClockLock::ClockLock(const std::string& uuid, const std::string& text, bool required, Log& log) {
  if (text.empty()) return;
  const int mhz = text == "base" ? 0 : std::stoi(text);
  opened_ = gpu::open_monitor(uuid);
  failure_ = opened_.monitor ? opened_.monitor->lock_clock(mhz) : opened_.note;
  if (failure_.empty())
    policy_ = "locked:" + text;
  else if (required)
    throw Error(ExitCode::runtime,
                fmt::format("--require-lock: the clock cannot be locked: {}", failure_));
  else
    log.warning(fmt::format("--lock-clocks {}: the clock stays free: {}", text, failure_));
}

ClockLock::~ClockLock() {
  if (!policy_.empty()) opened_.monitor->unlock_clock();
}

}  // namespace spb::suite
