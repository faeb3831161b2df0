// SPDX-License-Identifier: Apache-2.0
// Files of records for reading, plain or compressed by xz.
#pragma once

#include <filesystem>
#include <istream>
#include <memory>

namespace spb::report {

/// The file's text. A file that is xz by its first bytes is decompressed on the way, all streams in
/// it. Throws Error (runtime) when it cannot be read, is called .xz and is none, and, while it is
/// read, when its xz data is damaged or cut off.
std::unique_ptr<std::istream> open_input(const std::filesystem::path& path);

}  // namespace spb::report
