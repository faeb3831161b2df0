// SPDX-License-Identifier: Apache-2.0
// Suites and shapes as TOML files.
#pragma once

#include <filesystem>
#include <string>
#include <vector>

#include "config/suite_options.h"

namespace spb::config {

/// Reads a suite: keys are the names of suite_options(), plus `summary`, `include` and [[shapes]].
///
///     summary = "what it is for"
///     include = ["../shapes/sphere.toml"]   # relative to this file
///     dtypes = ["f16", "f32"]
///     kernel_size = 3                       # default of all shapes, included ones too
///     [[shapes]]
///     datasets = ["sphere:64"]
///     channels = "16:32,64"
///
/// An included file (configs/shapes) holds shapes only. Without [[shapes]] and include the
/// top-level keys are the one block. Throws Error (usage) with file and line for bad TOML, an
/// unknown key (with the nearest name) or a bad value.
SuiteOptions read_suite(const std::filesystem::path& path);

struct SuiteInfo {
  std::string name;  ///< file name without .toml
  std::filesystem::path path;
  std::string summary;
};

/// The suites of a folder by name; files that cannot be read are errors, a missing folder is empty.
std::vector<SuiteInfo> list_suites(const std::filesystem::path& folder);

/// `name_or_path` if it is a file, else the suite of that name in `folder`. Throws Error (usage)
/// with the nearest name.
std::filesystem::path find_suite(const std::string& name_or_path,
                                 const std::filesystem::path& folder);

}  // namespace spb::config
