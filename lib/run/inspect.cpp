// SPDX-License-Identifier: Apache-2.0
#include "run/inspect.h"

#include <algorithm>

#include "core/error.h"
#include "maps/lists/work_statistics.h"
#include "reference/reference.h"
#include "run/work.h"

namespace spb::run {
namespace {

/// Rows whose mask is the kernel's center alone: the pair with the voxel at their own place.
int64_t count_isolated(const maps::HostMasks& masks, const ConvGeometry& geometry) {
  int center = 0;
  for (size_t axis = 0; axis < 3; ++axis)
    center = center * geometry.kernel_size[axis] + (geometry.kernel_size[axis] - 1) / 2;
  std::vector<uint32_t> alone(static_cast<size_t>(masks.words_per_row));
  alone[static_cast<size_t>(center / 32)] = uint32_t{1} << center % 32;
  int64_t isolated = 0;
  for (int64_t row = 0; row < masks.n_rows; ++row)
    isolated += std::ranges::equal(masks.row(row), alone);
  return isolated;
}

int64_t count_unread(const MapSet& map, int64_t n_in) {
  std::vector<bool> read(static_cast<size_t>(n_in));
  for (const Triple& triple : map.triples) read[static_cast<size_t>(triple.in)] = true;
  return std::ranges::count(read, false);
}

std::vector<int> segments_of(const Tilings& tilings, int kernel_volume) {
  const int most = std::min(maps::kMostSegments, kernel_volume);
  for (const int segments : tilings.segments)
    if (segments > most)
      throw usage_error(
          "segments",
          std::to_string(segments) + " of " + std::to_string(kernel_volume) + " offsets",
          "use up to " + std::to_string(most));
  if (!tilings.segments.empty()) return tilings.segments;
  std::vector<int> usual{1, 2, 3};
  std::erase_if(usual, [&](int segments) { return segments > most; });
  return usual;
}

/// As plans sort: gray in one window as long as that does not scatter what tiles gather.
std::vector<int32_t> before_clusters(const maps::HostMasks& masks,
                                     std::span<const int32_t> positions, int64_t window) {
  return masks.n_rows <= maps::kGlobalOrderRows
             ? maps::host_order(masks, maps::RowOrder::gray, window)
             : maps::host_order(masks, maps::RowOrder::window, window, positions);
}

/// Offsets listed by tiles of one order, height by height, added up over segments.
std::vector<int64_t> listed_by(maps::RowOrder order, int segments, const maps::HostMasks& masks,
                               std::span<const int32_t> positions, const Tilings& tilings) {
  using maps::RowOrder;
  std::vector<int64_t> listed(tilings.heights.size());
  for (int segment = 0; segment < segments; ++segment) {
    const maps::HostMasks part = maps::of_segment(masks, segment, segments);
    const bool clusters = order == RowOrder::greedy;
    const std::vector<int32_t> sorted =
        clusters
            ? before_clusters(part, positions, tilings.window)
            : maps::host_order(part, order, tilings.window,
                               order == RowOrder::window ? positions : std::span<const int32_t>());
    for (size_t i = 0; i < listed.size(); ++i) {
      const int height = tilings.heights[i];
      listed[i] += maps::listed_offsets(
          part, clusters ? maps::host_clusters(part, sorted, height) : sorted, height);
    }
  }
  return listed;
}

std::vector<Redundancy> redundancies(const maps::HostMasks& masks, std::span<const Coord> coords,
                                     const Tilings& tilings, int64_t n_pairs) {
  using maps::RowOrder;
  const std::vector<int32_t> positions = maps::z_order(coords);
  std::vector<Redundancy> rows;
  for (const auto order :
       {RowOrder::none, RowOrder::plain, RowOrder::gray, RowOrder::window, RowOrder::greedy})
    for (const int segments : tilings.segments) {
      // Rows that are not sorted list the same offsets in one segment as in several.
      if (order == RowOrder::none && segments != tilings.segments.front()) continue;
      const std::vector<int64_t> listed = listed_by(order, segments, masks, positions, tilings);
      for (size_t i = 0; i < listed.size(); ++i) {
        const int height = tilings.heights[i];
        rows.push_back({maps::name(order), order == RowOrder::none ? 1 : segments, height,
                        height * listed[i], maps::redundancy(listed[i], height, n_pairs)});
      }
    }
  return rows;
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace

Inspection inspect(const VoxelSet& voxels, const Problem& problem, const Tilings& given) {
  Tilings tilings = given;
  tilings.segments = segments_of(given, problem.kernel_volume());
  Inspection result;
  const MapSet map = reference::build_map(voxels, problem.geometry);
  const maps::HostMasks masks = maps::host_masks(map, problem.geometry.kernel_size);
  result.n_in = input_rows(map, voxels);
  result.n_out = masks.n_rows;
  result.n_pairs = static_cast<int64_t>(map.triples.size());
  result.kernel_volume = problem.kernel_volume();

  result.pairs_per_voxel =
      ratio(static_cast<double>(result.n_pairs), static_cast<double>(result.n_out));
  result.occupancy = occupancy(voxels);
  result.unread = count_unread(map, result.n_in);
  result.distinct_masks = maps::count_distinct(masks);
  result.isolated = count_isolated(masks, problem.geometry);
  result.neighbor_histogram = maps::popcount_histogram(masks);
  result.pairs_per_offset = maps::pairs_per_offset(map, result.kernel_volume);
  result.mirrored = maps::count_mirrored(masks);
  result.redundancy = redundancies(masks, map.out_coords, tilings, result.n_pairs);
  return result;
}

}  // namespace spb::run
