// SPDX-License-Identifier: Apache-2.0
// Does the measuring itself work on this device? (measurement.md, section 13)
#pragma once

#include <string>
#include <vector>

#include "gpu/allocator.h"
#include "gpu/device_monitor.h"
#include "gpu/stream.h"

namespace spb::bench {

struct Check {
  enum class Outcome { passed, failed, skipped };
  std::string name;
  Outcome outcome = Outcome::passed;
  std::string detail;  ///< what was measured, or why it was skipped
};

/// Empty kernel, known spin, blocker and its watchdog, cold read, clock stamps against `monitor`
/// (may be null), and that sums of 8-bit floats have the bits that verification supposes. Takes a
/// few seconds.
std::vector<Check> self_test(gpu::Allocator& allocator, const gpu::Stream& stream,
                             gpu::DeviceMonitor* monitor);

}  // namespace spb::bench
