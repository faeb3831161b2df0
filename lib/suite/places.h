// SPDX-License-Identifier: Apache-2.0
// Where the program finds its suites and data sets, and keeps what it found out about devices.
#pragma once

#include <filesystem>
#include <string>

namespace spb::suite {

/// Both throw Error (runtime) where the program lacks its data folder.
std::filesystem::path suites_folder();
std::filesystem::path datasets_folder();

/// $XDG_CACHE_HOME/spconv-bench, with ~/.cache for an unset variable.
std::filesystem::path cache_folder();
/// A part of a file's name: '_' stands for what is neither letter, digit, '.' nor '-'.
std::string file_word(const std::string& text);

}  // namespace spb::suite
