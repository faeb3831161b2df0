// SPDX-License-Identifier: Apache-2.0
// The readers behind the table in formats.cpp, one per file format_<name>.cpp.
#pragma once

#include <filesystem>

#include "data/point_cloud.h"

namespace spb::data {

PointCloud read_bin(const std::filesystem::path& path, const ReadOptions& options);
PointCloud read_npy(const std::filesystem::path& path, const ReadOptions& options);
PointCloud read_npz(const std::filesystem::path& path, const ReadOptions& options);
PointCloud read_ply(const std::filesystem::path& path, const ReadOptions& options);
PointCloud read_pcd(const std::filesystem::path& path, const ReadOptions& options);
PointCloud read_xyz(const std::filesystem::path& path, const ReadOptions& options);
PointCloud read_obj(const std::filesystem::path& path, const ReadOptions& options);
PointCloud read_vxz(const std::filesystem::path& path, const ReadOptions& options);

}  // namespace spb::data
