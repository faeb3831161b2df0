// SPDX-License-Identifier: Apache-2.0
// The file that tuning writes and runs read: entries of any number of machines.
#pragma once

#include <filesystem>
#include <span>
#include <vector>

#include "tuning/entry.h"

namespace spb::tuning {

/// Throws Error (runtime) when the file cannot be read or is no tuning file.
std::vector<Entry> read_entries(const std::filesystem::path& path);

/// A merge takes milliseconds: who holds the lock longer has stopped.
inline constexpr double kLockLimitS = 60;

/// Adds entries to the file, or makes it; those of the same machine and class are replaced. Others
/// may do so at the same time: it happens under a lock (PATH.lock), and a reader sees the old file
/// or the new one. Throws Error (runtime) as read_entries(), when it cannot be written, and naming
/// the process that has held the lock for `lock_limit_s`.
void merge_entries(const std::filesystem::path& path, std::span<const Entry> entries,
                   double lock_limit_s = kLockLimitS);

}  // namespace spb::tuning
