// SPDX-License-Identifier: Apache-2.0
#include "run/inspect.h"

#include <algorithm>
#include <bit>
#include <numeric>

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

std::vector<Redundancy> redundancies(const maps::HostMasks& masks, std::span<const Coord> coords,
                                     std::span<const int> tile_heights, int64_t window,
                                     int64_t n_pairs) {
  std::vector<Redundancy> rows;
  const auto add = [&](maps::RowOrder order, std::span<const int32_t> sorted, int height) {
    const int64_t listed = maps::listed_offsets(masks, sorted, height);
    rows.push_back({maps::name(order), height, maps::redundancy(listed, height, n_pairs)});
  };
  std::vector<int32_t> sorted;
  for (const auto order : {maps::RowOrder::none, maps::RowOrder::gray, maps::RowOrder::window}) {
    const std::vector<int32_t> positions =
        order == maps::RowOrder::window ? maps::z_order(coords) : std::vector<int32_t>();
    sorted = maps::host_order(masks, order, window, positions);
    for (const int height : tile_heights) add(order, sorted, height);
  }
  // As plans sort: in windows where one window for all would scatter what they gather.
  if (masks.n_rows <= maps::kGlobalOrderRows)
    sorted = maps::host_order(masks, maps::RowOrder::gray, window);
  for (const int height : tile_heights)
    add(maps::RowOrder::greedy, maps::host_clusters(masks, sorted, height), height);
  return rows;
}

double ratio(double part, double whole) { return whole > 0 ? part / whole : 0; }

}  // namespace

Inspection inspect(const VoxelSet& voxels, const Problem& problem,
                   std::span<const int> tile_heights, int64_t window) {
  Inspection result;
  const MapSet map = reference::build_map(voxels, problem.geometry);
  const maps::HostMasks masks = maps::host_masks(map, problem.geometry.kernel_size);
  result.n_in = voxels.size();
  result.n_out = masks.n_rows;
  result.n_pairs = static_cast<int64_t>(map.triples.size());
  result.kernel_volume = problem.kernel_volume();

  const Box& box = voxels.box;
  const double cells =
      std::accumulate(box.shape.begin(), box.shape.end(), static_cast<double>(box.batch_size),
                      [](double product, int32_t extent) { return product * extent; });
  result.pairs_per_voxel =
      ratio(static_cast<double>(result.n_pairs), static_cast<double>(result.n_out));
  result.occupancy = ratio(static_cast<double>(result.n_in), cells);
  result.unread = count_unread(map, result.n_in);
  result.distinct_masks = maps::count_distinct(masks);
  result.isolated = count_isolated(masks, problem.geometry);
  result.neighbor_histogram = maps::popcount_histogram(masks);
  result.pairs_per_offset = maps::pairs_per_offset(map, result.kernel_volume);
  result.redundancy = redundancies(masks, map.out_coords, tile_heights, window, result.n_pairs);

  result.useful_macs = static_cast<double>(result.n_pairs) * problem.c_in * problem.c_out;
  result.compulsory_bytes = compulsory_bytes(problem, result.n_in, result.n_out, result.n_pairs);
  result.intensity_flop_per_byte = ratio(2 * result.useful_macs, result.compulsory_bytes);
  return result;
}

}  // namespace spb::run
