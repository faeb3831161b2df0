// SPDX-License-Identifier: Apache-2.0
// Synthetic scans: a street as a rotating lidar sees it, a furnished room as a depth camera does.
#include <cmath>
#include <limits>
#include <numbers>
#include <optional>
#include <vector>

#include "data/generate_internal.h"
#include "data/voxelize.h"

namespace spb::data {
namespace {

constexpr double kRadiansPerDegree = std::numbers::pi / 180;

/// Axis-aligned, metres.
struct SolidBox {
  Point low, high;
};

double parse_voxel_size(const char* usage, const std::string& text, double standard) {
  Argument a[] = {{"VOXEL_SIZE", 1e-4, 100, false, standard, true}};
  parse_arguments(usage, text, a);
  return a[0].value;
}

VoxelSet voxelize_points(std::vector<Point> points, double voxel_size) {
  PointCloud cloud;
  cloud.points = std::move(points);
  VoxelizeOptions options;
  options.voxel_size = voxel_size;
  return voxelize(cloud, options);
}

/// Where the ray from the origin enters the box, as a multiple of `direction`; infinity if never.
double first_hit(const SolidBox& box, const Point& direction) {
  double enter = 0, leave = std::numeric_limits<double>::infinity();
  for (const auto axis : {&Point::x, &Point::y, &Point::z}) {
    double a = box.low.*axis / (direction.*axis), b = box.high.*axis / (direction.*axis);
    if (a > b) std::swap(a, b);
    enter = std::fmax(enter, a);
    leave = std::fmin(leave, b);
  }
  return enter <= leave ? enter : std::numeric_limits<double>::infinity();
}

constexpr double kGround = -1.8;  ///< below the sensor

std::vector<SolidBox> street(SplitMix64& random) {
  std::vector<SolidBox> boxes{{{-100, 15, kGround}, {100, 25, 10}},
                              {{-100, -25, kGround}, {100, -15, 10}}};
  while (boxes.size() < 62) {
    const double x = random.uniform(-80, 80), y = random.uniform(-13, 13), kind = random.uniform();
    if (std::hypot(x, y) < 4) continue;
    const Point size = kind < 0.6   ? Point{4.5, 1.9, 1.5}
                       : kind < 0.8 ? Point{0.3, 0.3, 6}
                                    : Point{2, 2, 3};
    boxes.push_back({{x - size.x / 2, y - size.y / 2, kGround},
                     {x + size.x / 2, y + size.y / 2, kGround + size.z}});
  }
  return boxes;
}

/// Points of all sides but the underside.
void sample_box(const SolidBox& box, bool underside, SplitMix64& random,
                std::vector<Point>& points) {
  constexpr double kPointsPerSquareMetre = 1500, kNoise = 0.005;
  constexpr double Point::*kAxes[] = {&Point::x, &Point::y, &Point::z};
  for (int normal = 0; normal < 3; ++normal)
    for (const bool upper : {false, true}) {
      if (normal == 2 && !upper && !underside) continue;
      const auto n = kAxes[normal], u = kAxes[(normal + 1) % 3], v = kAxes[(normal + 2) % 3];
      const double area = (box.high.*u - box.low.*u) * (box.high.*v - box.low.*v);
      const auto count = static_cast<int64_t>(std::round(area * kPointsPerSquareMetre));
      for (int64_t i = 0; i < count; ++i) {
        Point p;
        p.*u = random.uniform(box.low.*u, box.high.*u);
        p.*v = random.uniform(box.low.*v, box.high.*v);
        p.*n = (upper ? box.high : box.low).*n + random.uniform(-kNoise, kNoise);
        points.push_back(p);
      }
    }
}

}  // namespace

VoxelSet make_lidar(const std::string& arguments, uint64_t seed) {
  constexpr int kBeams = 128, kAzimuths = 1024;
  constexpr double kRange = 120, kNoise = 0.02, kDropped = 0.1;
  const double voxel_size = parse_voxel_size("lidar[:VOXEL_SIZE]", arguments, 0.1);
  SplitMix64 random(seed);
  const std::vector<SolidBox> boxes = street(random);
  std::vector<Point> points;
  for (int beam = 0; beam < kBeams; ++beam)
    for (int step = 0; step < kAzimuths; ++step) {
      const double elevation = (-22.5 + 45.0 * beam / (kBeams - 1)) * kRadiansPerDegree;
      const double azimuth = 360.0 * step / kAzimuths * kRadiansPerDegree;
      const Point direction{std::cos(elevation) * std::cos(azimuth),
                            std::cos(elevation) * std::sin(azimuth), std::sin(elevation)};
      double range =
          direction.z < 0 ? kGround / direction.z : std::numeric_limits<double>::infinity();
      for (const SolidBox& box : boxes) range = std::min(range, first_hit(box, direction));
      // Drawn for every ray, so that one ray's fate does not shift the others' numbers.
      const double noise = random.uniform(-kNoise, kNoise);
      const bool dropped = random.uniform() < kDropped;
      if (dropped || range >= kRange) continue;
      range += noise;
      points.push_back({range * direction.x, range * direction.y, range * direction.z});
    }
  return voxelize_points(std::move(points), voxel_size);
}

VoxelSet make_indoor(const std::string& arguments, uint64_t seed) {
  constexpr Point kRoom{8, 6, 2.8};
  constexpr double kYaw = 20 * kRadiansPerDegree;
  const double voxel_size = parse_voxel_size("indoor[:VOXEL_SIZE]", arguments, 0.05);
  SplitMix64 random(seed);
  std::vector<Point> points;
  sample_box({{0, 0, 0}, kRoom}, true, random, points);
  for (int i = 0; i < 30; ++i) {
    const double width = random.uniform(0.3, 1.5), depth = random.uniform(0.3, 1.5);
    const double height = random.uniform(0.3, 1.8);
    const double x = random.uniform(0, kRoom.x - width), y = random.uniform(0, kRoom.y - depth);
    sample_box({{x, y, 0}, {x + width, y + depth, height}}, false, random, points);
  }
  for (Point& p : points)
    p = {std::cos(kYaw) * p.x - std::sin(kYaw) * p.y, std::sin(kYaw) * p.x + std::cos(kYaw) * p.y,
         p.z};
  return voxelize_points(std::move(points), voxel_size);
}

}  // namespace spb::data
