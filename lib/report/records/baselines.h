// SPDX-License-Identifier: Apache-2.0
// Runs kept under a name, for later runs to be compared with.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

namespace spb::report {

/// Where baselines are kept unless told otherwise: a folder for each, in the working directory.
inline constexpr const char* kBaselines = ".spconv-bench/baselines";

/// Copies the records of `run`, as read_records() takes them, and the samples beside them to
/// `folder`/`name`, in place of an earlier baseline of that name. Returns where they lie. Throws
/// Error (usage) when the name is none of a folder, Error (nothing) when there is no row, Error
/// (runtime) when a file cannot be written, and as read_records() does.
std::filesystem::path save_baseline(const std::filesystem::path& folder, const std::string& name,
                                    const std::filesystem::path& run);

/// The baseline's folder, for read_side(). Throws Error (usage) with the nearest known name when
/// there is none.
std::filesystem::path find_baseline(const std::filesystem::path& folder, const std::string& name);

}  // namespace spb::report
