// SPDX-License-Identifier: Apache-2.0
// The formats of voxels and points, by the name of the file.
#include <cstdint>
#include <cstdlib>

#include "data/point_cloud.h"
#include "read.h"

void spb::fuzz::read(const std::filesystem::path& path) {
  const data::PointCloud cloud = data::read_file(path);
  if (cloud.is_coords ? !cloud.points.empty() : !cloud.coords.empty()) std::abort();
  const auto points = static_cast<int64_t>(cloud.points.size());
  for (const auto& [a, b, c] : cloud.triangles)
    if (a < 0 || b < 0 || c < 0 || a >= points || b >= points || c >= points) std::abort();
}
