// SPDX-License-Identifier: Apache-2.0
// What Linux' amdgpu driver tells in its binary file gpu_metrics.
#pragma once

#include <string>
#include <string_view>

#include "gpu/throttle_reasons.h"

namespace spb::gpu {

/// Why clocks were held down, from two readings of the file. Version 1.3 tells what holds at the
/// second; versions 1.6 to 1.8 count for how long, so that what held in between is the difference.
/// `unknown` for any other version, and where a reading is too short.
ThrottleReasons amdgpu_throttle_reasons(std::string_view before, std::string_view now);

/// "gpu_metrics 1.6", or "no gpu_metrics", for records: who told the reasons, or why no one did.
std::string amdgpu_metrics_name(std::string_view metrics);

}  // namespace spb::gpu
