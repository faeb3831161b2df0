// SPDX-License-Identifier: Apache-2.0
// The measured limits of a device, between runs.
#pragma once

#include <filesystem>
#include <optional>
#include <string>

#include "bench/peaks.h"
#include "core/record.h"
#include "gpu/device_info.h"

namespace spb::suite {

/// $XDG_CACHE_HOME/spconv-bench/peaks-DEVICE-DRIVER.json, with ~/.cache for an unset variable.
std::filesystem::path default_peaks_path(const gpu::DeviceInfo& device);

/// One JSON object, replaced at once. Throws Error (runtime) when it cannot be written.
void write_peaks(const std::filesystem::path& path, const bench::Peaks& peaks,
                 const gpu::DeviceInfo& device);

/// Throws Error (runtime) for what is no such file, Error (usage) for one of another device or
/// driver.
bench::Peaks read_peaks(const std::filesystem::path& path, const gpu::DeviceInfo& device);

/// What `--peaks` says: "off", a file, or "" for the default file if it is there.
std::optional<bench::Peaks> find_peaks(const std::string& option, const gpu::DeviceInfo& device);

/// For the context line: peak_copy_gbps, peak_gflops_f16 ...
void add_peaks(Record& context, const bench::Peaks& peaks);

}  // namespace spb::suite
