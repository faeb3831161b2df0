// SPDX-License-Identifier: Apache-2.0
// Which tuning file holds for a device.
#pragma once

#include <filesystem>
#include <memory>
#include <string>

#include "gpu/device_info.h"
#include "tuning/tuned.h"

namespace spb::suite {

/// $XDG_CACHE_HOME/spconv-bench/tuning-DEVICE.json, with ~/.cache for an unset variable.
std::filesystem::path default_tuning_path(const gpu::DeviceInfo& device);

tuning::Machine machine_of(const gpu::DeviceInfo& device);

/// What `--tuning` says: "off", a file, or "" for the default file if it is there. Null without
/// one. Throws Error (runtime) for a file that cannot be read or is none.
std::shared_ptr<const tuning::Tuned> find_tuning(const std::string& option,
                                                 const gpu::DeviceInfo& device);

}  // namespace spb::suite
