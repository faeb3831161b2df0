// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "core/error.h"
#include "data/formats_internal.h"

namespace spb::data {
namespace {

using Extension = const char* const;
constexpr Extension kBin[] = {".pcd.bin", ".bin"};
constexpr Extension kNpy[] = {".npy"};
constexpr Extension kNpz[] = {".npz"};
constexpr Extension kPly[] = {".ply"};
constexpr Extension kPcd[] = {".pcd"};
constexpr Extension kXyz[] = {".xyz", ".txt", ".csv", ".dat"};
constexpr Extension kObj[] = {".obj"};
constexpr Extension kVxz[] = {".vxz"};

constexpr Format kFormats[] = {
    {"bin", kBin, "float32 rows: KITTI 4 columns, nuScenes .pcd.bin 5, others by --columns",
     read_bin},
    {"npy", kNpy, "NumPy array: integers [n,3] or [n,4] are coords, floats [n,3+] points",
     read_npy},
    {"npz", kNpz, "NumPy archive: the array coords or points, or its only one", read_npz},
    {"ply", kPly, "points or a mesh: ascii, little and big endian", read_ply},
    {"pcd", kPcd, "PCD 0.7 points: ascii, binary, binary_compressed", read_pcd},
    {"xyz", kXyz, "text: columns x, y, z of the header line, else the first three", read_xyz},
    {"obj", kObj, "mesh: vertices and faces", read_obj},
    {"vxz", kVxz, "voxel shell of TRELLIS.2, version 0; attributes are skipped", read_vxz},
};

struct Refusal {
  const char* extension;
  const char* what;
};
constexpr Refusal kRefused[] = {
    {".las", "LAS"},          {".laz", "LAZ"},          {".e57", "E57"},
    {".vdb", "OpenVDB"},      {".bag", "ROS bags"},     {".mcap", "ROS bags"},
    {".db3", "ROS bags"},     {".feather", "Feather"},  {".bt", "OctoMap trees"},
    {".ot", "OctoMap trees"}, {".pt", "PyTorch files"}, {".pth", "PyTorch files"},
};

bool has_extension(const std::string& file_name, const char* extension) {
  return file_name.ends_with(extension);
}

}  // namespace

std::span<const Format> formats() { return kFormats; }

PointCloud read_file(const std::filesystem::path& path, const ReadOptions& options) {
  std::string file_name = path.filename().string();
  std::ranges::transform(file_name, file_name.begin(), [](char c) {
    return c >= 'A' && c <= 'Z' ? static_cast<char>(c - 'A' + 'a') : c;
  });

  std::string known;
  for (const Format& format : kFormats)
    for (const char* extension : format.extensions) {
      if (has_extension(file_name, extension)) {
        PointCloud cloud = format.read(path, options);
        cloud.format = format.name;
        return cloud;
      }
      known.append(known.empty() ? "" : " ").append(extension);
    }

  std::error_code failure;
  if (std::filesystem::is_directory(path, failure))
    throw input_error(path.string(), "is a directory, expected a file");
  for (const Refusal& refusal : kRefused)
    if (has_extension(file_name, refusal.extension))
      throw input_error(path.string(), std::string(refusal.what) + " are not read",
                        "convert to .npz: floats [n,3] for points, integers [n,3] for voxels");
  throw input_error(path.string(), "unknown file extension", "known are " + known);
}

}  // namespace spb::data
