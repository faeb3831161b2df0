// SPDX-License-Identifier: Apache-2.0
// What a fuzz target does with a file.
#pragma once

#include <filesystem>

namespace spb::fuzz {

/// Reads it and aborts when what was accepted does not hold together. Defined once a target.
void read(const std::filesystem::path& path);

/// What the file is called, by which some readers go. Of each target (CMakeLists.txt).
extern const char* const file_name;

}  // namespace spb::fuzz
