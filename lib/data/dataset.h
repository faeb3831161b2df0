// SPDX-License-Identifier: Apache-2.0
// The data sets of datasets/: one folder each with a dataset.toml.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <string>
#include <vector>

#include "core/paths.h"
#include "core/voxel_grid.h"

namespace spb::data {

/// One dataset.toml. The file itself may not have been fetched yet.
struct Dataset {
  std::string name;            ///< of its folder
  std::filesystem::path file;  ///< full path of the data
  std::string format;          ///< a name of formats()
  std::string sha256;          ///< of `file`, 64 lower-case hex digits
  std::string license;         ///< SPDX identifier
  std::string copyright;
  std::string package;  ///< Debian package that holds it
  std::optional<VoxelSize> voxel_size_m;
  std::optional<int> resolution;  ///< instead of a voxel size
  int64_t voxels = 0;             ///< expected at that size
  int64_t n_pairs = 0;            ///< expected for the 3x3x3 submanifold kernel, centre included
  bool is_present() const { return is_file(file); }
};

/// All data sets below `folder`, by name; none when the folder does not exist. Throws Error
/// (usage) with file and line on malformed TOML, missing or unknown keys.
std::vector<Dataset> find_datasets(const std::filesystem::path& folder);

/// The checksum of a file, as sha256sum prints it. Throws Error (runtime) when it is unreadable.
std::string sha256_file(const std::filesystem::path& path);

}  // namespace spb::data
