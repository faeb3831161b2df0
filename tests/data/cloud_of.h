// SPDX-License-Identifier: Apache-2.0
// Points, and what voxelize() says of them.
#pragma once

#include <string>
#include <utility>
#include <vector>

#include "data/temp_file.h"
#include "data/voxelize.h"

namespace spb::data {

inline PointCloud cloud_of(std::vector<Point> points) {
  PointCloud cloud;
  cloud.points = std::move(points);
  return cloud;
}

inline std::string voxelize_error(const PointCloud& cloud, const VoxelizeOptions& options,
                                  ExitCode code) {
  try {
    voxelize(cloud, options);
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), code);
    return error.what();
  }
  return "accepted";
}

}  // namespace spb::data
