// SPDX-License-Identifier: Apache-2.0
// What every row of a run says about its surroundings.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "core/record.h"
#include "gpu/device_info.h"

namespace spb::suite {

/// UTC start and six hex digits: "20261121T144216Z-1a2b3c".
std::string new_run_id();

/// RFC 3339: "2026-11-21T14:42:16Z".
std::string utc_now();

/// The devices that --device names: an index, indices with commas, or "all". Throws Error (usage)
/// for one that is not there, Error (runtime) when there is no device at all.
std::vector<gpu::DeviceInfo> choose_devices(const std::string& text);

/// Columns that are equal in all rows of a run: run_id, device, build.
Record run_columns(const std::string& run_id, const gpu::DeviceInfo& device);

/// The context line: the run's columns, command line, machine and device.
Record context(const Record& columns, const gpu::DeviceInfo& device,
               std::span<const std::string> command_line);

}  // namespace spb::suite
