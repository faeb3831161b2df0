// SPDX-License-Identifier: Apache-2.0
#include "data/voxelize.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <numbers>

#include "core/error.h"
#include "data/coord_set.h"
#include "data/mesh_shell.h"

namespace spb::data {
namespace {

bool is_finite(const Point& p) {
  return std::isfinite(p.x) && std::isfinite(p.y) && std::isfinite(p.z);
}

/// From the file's unit to voxels: value(axis) = (p - from) / size + to.
struct Grid {
  std::array<double, 3> from{0, 0, 0};
  VoxelSize size{1};
  double to = 0;

  // A division, never a product with 1 / size: that moves points on voxel faces.
  Point operator()(const Point& p) const {
    const auto& edges = size.edges;
    return {(p.x - from[0]) / edges[0] + to, (p.y - from[1]) / edges[1] + to,
            (p.z - from[2]) / edges[2] + to};
  }
};

Point in_frame(const Point& p, Frame frame) {
  if (frame == Frame::cartesian) return p;
  // atan2 has both ends of the circle, which are one place.
  const double phi = std::atan2(p.y, p.x);
  return {std::hypot(p.x, p.y), phi >= std::numbers::pi ? -std::numbers::pi : phi, p.z};
}

/// What lies in the range and in the whole voxels of it. The two differ by rounding, and where an
/// edge does not divide the range.
struct Crop {
  CropRange range;
  Int3 cells;

  bool holds(const Point& p, const Point& voxel) const {
    const auto holds_axis = [&](size_t axis, double value, double cell) {
      return value >= range.low[axis] && value < range.high[axis] && cell < cells[axis];
    };
    return holds_axis(0, p.x, voxel.x) && holds_axis(1, p.y, voxel.y) &&
           holds_axis(2, p.z, voxel.z);
  }
};

/// The box of what counts, its centre at R / 2, its longest side 0.99999 R voxels.
Grid fit_resolution(const PointCloud& cloud, int resolution) {
  constexpr double kInfinity = std::numeric_limits<double>::infinity();
  Point low{kInfinity, kInfinity, kInfinity}, high{-kInfinity, -kInfinity, -kInfinity};
  const auto include = [&](const Point& p) {
    if (!is_finite(p)) return;
    low = {std::min(low.x, p.x), std::min(low.y, p.y), std::min(low.z, p.z)};
    high = {std::max(high.x, p.x), std::max(high.y, p.y), std::max(high.z, p.z)};
  };
  if (cloud.triangles.empty()) {
    for (const Point& p : cloud.points) include(p);
  } else {
    for (const Triangle& t : cloud.triangles)
      for (const int32_t row : {t.a, t.b, t.c}) include(cloud.points[static_cast<size_t>(row)]);
  }
  const double longest = std::max({high.x - low.x, high.y - low.y, high.z - low.z});
  if (longest == kInfinity)
    throw input_error("points", "their bounding box is wider than a double can hold",
                      "remove the outliers");
  Grid grid;
  grid.from = {low.x + (high.x - low.x) / 2, low.y + (high.y - low.y) / 2,
               low.z + (high.z - low.z) / 2};
  // A single place has no side to scale by; it becomes the middle voxel at any size.
  if (longest > 0) grid.size = VoxelSize(longest / (0.99999 * resolution));
  grid.to = resolution / 2.0;
  return grid;
}

Grid make_grid(const PointCloud& cloud, const VoxelizeOptions& options) {
  check_grid(options);
  if (options.voxel_size)
    return {options.range ? options.range->low : options.origin, *options.voxel_size, 0};
  if (!options.resolution)
    throw usage_error("--voxel-size", "missing: points have no voxels",
                      "give --voxel-size (in the file's unit) or --resolution");
  return fit_resolution(cloud, *options.resolution);
}

std::string to_text(const Point& p) { return fmt::format("({:g}, {:g}, {:g})", p.x, p.y, p.z); }

int32_t cell(double value, size_t row, const Point& point) {
  const double floor = std::floor(value);
  if (!(floor >= std::numeric_limits<int32_t>::min() &&
        floor <= std::numeric_limits<int32_t>::max()))
    throw input_error("point " + std::to_string(row) + " at " + to_text(point),
                      "its voxel lies outside int32",
                      "use a larger voxel size or remove the point");
  return static_cast<int32_t>(floor);
}

std::vector<Coord> voxels_of_points(const PointCloud& cloud, const Grid& grid, Frame frame,
                                    const std::optional<Crop>& crop, int64_t& outside) {
  CoordSet voxels(cloud.points.size());
  for (size_t row = 0; row < cloud.points.size(); ++row) {
    const Point& point = cloud.points[row];
    if (!is_finite(point)) continue;
    const Point framed = in_frame(point, frame), v = grid(framed);
    if (crop && !crop->holds(framed, v)) {
      ++outside;
      continue;
    }
    voxels.insert({0, cell(v.x, row, point), cell(v.y, row, point), cell(v.z, row, point)});
  }
  return std::move(voxels).take();
}

std::vector<Coord> voxels_of_mesh(const PointCloud& cloud, const Grid& grid) {
  std::vector<Point> points(cloud.points.size());
  std::ranges::transform(cloud.points, points.begin(), grid);
  return mesh_shell(points, cloud.triangles);
}

std::vector<Coord> unique_coords(const PointCloud& cloud, bool merge) {
  CoordSet voxels(cloud.coords.size());
  int64_t repeated = 0;
  size_t first = 0, first_of = 0;
  for (size_t row = 0; row < cloud.coords.size(); ++row) {
    const Coord& coord = cloud.coords[row];
    if (coord.batch < 0 || coord.batch == std::numeric_limits<int32_t>::max())
      throw input_error("row " + std::to_string(row),
                        "batch " + std::to_string(coord.batch) + ", expected 0 to 2^31 - 2");
    const auto [kept, is_new] = voxels.insert(coord);
    if (!is_new && repeated++ == 0) first = row, first_of = kept;
  }
  // Rows before the first repetition are all kept, so `first_of` is a row of the file too.
  if (repeated > 0 && !merge)
    throw input_error("row " + std::to_string(first),
                      "repeats the voxel of row " + std::to_string(first_of) + "; " +
                          std::to_string(repeated) + " rows repeat in all",
                      "give --merge to keep the first of each");
  return std::move(voxels).take();
}

}  // namespace

void check_grid(const VoxelizeOptions& options) {
  if (options.voxel_size && options.resolution)
    throw usage_error("--voxel-size, --resolution", "both are given", "give one of the two");
  if (options.voxel_size)
    for (const double edge : options.voxel_size->edges)
      if (!(edge > 0) || !std::isfinite(edge))
        throw usage_error("--voxel-size", std::to_string(edge) + " is not a positive number");
  if (!options.resolution) {
    if (options.range && options.voxel_size) cells_of(*options.range, *options.voxel_size);
    return;
  }
  if (*options.resolution < 1)
    throw usage_error("--resolution", std::to_string(*options.resolution) + " is not positive");
  if (options.range || options.frame != Frame::cartesian)
    throw usage_error(options.range ? "--range" : "--frame",
                      "--resolution scales by the data's own box", "give --voxel-size instead");
}

VoxelSet voxelize(const PointCloud& cloud, const VoxelizeOptions& options, VoxelizeReport* report) {
  VoxelizeReport counts;
  counts.was_coords = cloud.is_coords;
  std::vector<Coord> voxels;
  std::optional<Crop> crop;
  if (cloud.is_coords) {
    counts.points = static_cast<int64_t>(cloud.coords.size());
    voxels = unique_coords(cloud, options.merge);
    counts.merged = counts.points - static_cast<int64_t>(voxels.size());
  } else {
    counts.points = static_cast<int64_t>(cloud.points.size());
    counts.dropped =
        counts.points - static_cast<int64_t>(std::ranges::count_if(cloud.points, is_finite));
    if (counts.points > 0 && counts.dropped == counts.points)
      throw input_error(cloud.format.empty() ? "points" : cloud.format + " points",
                        "all " + std::to_string(counts.points) + " are NaN or infinite",
                        "nothing is left to voxelize");
    const Grid grid = make_grid(cloud, options);
    if (cloud.triangles.empty()) {
      if (options.range) crop = Crop{*options.range, cells_of(*options.range, grid.size)};
      voxels = voxels_of_points(cloud, grid, options.frame, crop, counts.outside);
      counts.merged =
          counts.points - counts.dropped - counts.outside - static_cast<int64_t>(voxels.size());
      if (crop && counts.points > 0 && voxels.empty())
        throw input_error("--range " + to_text(*options.range),
                          "holds none of " + std::to_string(counts.points) + " points",
                          "is the unit or the frame another?");
    } else {
      voxels = voxels_of_mesh(cloud, grid);
      if (voxels.empty())
        throw input_error("triangles", "each has a vertex that is NaN or infinite",
                          "nothing is left to voxelize");
    }
  }
  VoxelSet set = crop ? VoxelSet{std::move(voxels), {.batch_size = 1, .shape = crop->cells}, {}}
                      : fit_box(std::move(voxels));
  sort_rows(set, options.order);
  if (report) *report = counts;
  return set;
}

}  // namespace spb::data
