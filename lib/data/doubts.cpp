// SPDX-License-Identifier: Apache-2.0
#include "data/doubts.h"

#include <algorithm>
#include <fmt/format.h>

#include "data/coord_set.h"

namespace spb::data {
namespace {

constexpr int64_t kProbes = 2000;
constexpr double kMostIsolated = 0.9;
constexpr int64_t kManyPoints = 1000;
constexpr int kFewCells = 16;

bool is_isolated(const CoordSet& voxels, const Coord& c) {
  for (int dx = -1; dx <= 1; ++dx)
    for (int dy = -1; dy <= 1; ++dy)
      for (int dz = -1; dz <= 1; ++dz) {
        const int64_t x = int64_t{c.x} + dx, y = int64_t{c.y} + dy, z = int64_t{c.z} + dz;
        if ((dx == 0 && dy == 0 && dz == 0) || std::max({x, y, z}) > INT32_MAX) continue;
        if (voxels.contains({c.batch, static_cast<int32_t>(x), static_cast<int32_t>(y),
                             static_cast<int32_t>(z)}))
          return false;
      }
  return true;
}

}  // namespace

double isolated_share(const VoxelSet& set) {
  if (set.size() == 0) return 0;
  CoordSet voxels(set.coords.size());
  for (const Coord& c : set.coords) voxels.insert(c);
  int64_t probes = 0, isolated = 0;
  const int64_t step = std::max<int64_t>(1, set.size() / kProbes);
  for (int64_t row = 0; row < set.size(); row += step, ++probes)
    isolated += is_isolated(voxels, set.coords[static_cast<size_t>(row)]);
  return static_cast<double>(isolated) / static_cast<double>(probes);
}

std::string doubt(const VoxelSet& set, const VoxelizeReport& report) {
  if (set.size() == 0) return {};
  const Int3& cells = set.box.shape;
  const std::string box = fmt::format("a box of {}x{}x{} cells", cells[0], cells[1], cells[2]);
  if (!report.was_coords && report.points >= kManyPoints && std::ranges::max(cells) < kFewCells)
    return fmt::format("{} points fall into {} voxels of {}: is the unit right?", report.points,
                       set.size(), box);
  if (const double share = isolated_share(set); set.size() > 1 && share >= kMostIsolated)
    return fmt::format("{:.0f} % of the {} voxels have no neighbor in {}: is the unit right?",
                       100 * share, set.size(), box);
  return {};
}

}  // namespace spb::data
