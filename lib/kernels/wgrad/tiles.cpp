// SPDX-License-Identifier: Apache-2.0
#include "kernels/wgrad/tiles.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <string_view>
#include <utility>
#include <vector>

#include "gpu/device_info.h"
#include "gpu/mma/matrix_cores_in_use.h"
#include "kernels/tiling.h"

namespace spb {
namespace plans {
namespace {

/// Nothing, or why a variant cannot do a task.
std::optional<std::string> unsupported_tile(const WgradTile& tile, const WgradTask& task) {
  auto reason = unsupported(tile.variant, task.dtype, task.architecture, task.c_in, task.c_out);
  if (!reason && wgrad_shared_bytes(tile) > most_shared_bytes(task.architecture))
    reason = "needs " + std::to_string(wgrad_shared_bytes(tile)) + " bytes of shared memory";
  if (!reason && tile.slots > 1 && task.c_in * tile.slots != tile.variant.tile_n)
    reason = "needs c_in = " + std::to_string(tile.variant.tile_n / tile.slots);
  if (!reason && tile.slots > 1 && task.masked && !task.has_offset_groups)
    reason = "shares rows of gout among offsets, which transposed layers do not";
  if (!reason && tile.halos && !task.halos)
    reason = "reads halos: masked and whole, up to 27 offsets";
  if (!reason && tile.halos && std::max(task.c_in, task.c_out) > tile.variant.tile_m)
    reason = "takes up to " + std::to_string(tile.variant.tile_m) + " channels";
  if (!reason && tile.matrix && !(task.matrix_cores & gpu::matrix_cores_bit(tile.matrix->cores)))
    reason = kNeedsMatrixCores;
  if (!reason && task.groups > 1 && (tile.variant.one_arch || tile.halos || tile.slots > 1))
    reason = "takes one group of channels";
  return reason;
}

/// Relative time of a task, in multiply-adds per row that a multiprocessor would make at speed 1:
/// that of all units on a full device or, where lists are not cut, that of
/// the longest unit, whichever is more. A submanifold's longest list has every row, the mean of the
/// others half of them.
double time_of(const WgradTile& tile, const WgradTask& task) {
  const KernelVariant& v = tile.variant;
  const double units = double(tiles_of(task.kernel_volume, tile.slots)) *
                       wgrad_tiles_of(tile, task.c_out, task.c_in) * task.groups;
  const double mean = task.masked ? 0.5 : 1;
  const double full =
      double(v.tile_m) * v.tile_n / tile.speed * mean * units / task.multiprocessors;
  if (task.split || tile.halos) return full;
  // In the last round of whole units half of the device is idle.
  const double rounds = units / (double(tile.blocks) * task.multiprocessors);
  // A block loads so many bytes a clock, however deep its pipeline; kMacs is the arithmetic of a
  // multiprocessor at speed 1, per clock. As measured on an H200, where one block had the
  // whole center offset at R = 512.
  const double bytes_per_clock = v.one_arch ? 31 : 20;
  constexpr double kMacs = 850;
  const double clocks =
      (v.tile_m + v.tile_n) * double(info(task.dtype).input().bytes) / bytes_per_clock;
  return std::max(full * (1 + 0.5 / rounds), clocks * kMacs);
}

/// Whether a plan that chooses for itself may take the tile; most are of other dtypes: told without
/// text.
bool may_choose(const WgradTile& tile, const WgradTask& task) {
  return !tile.variant.by_name_only() &&
         supports(tile.variant, task.dtype, task.architecture, task.c_in, task.c_out) &&
         !unsupported_tile(tile, task);
}

/// Whether these rows suit the tile.
bool suits(const WgradTile& tile, const WgradTask& task) {
  // Where all rows are read, they are the same for all offsets, and shared by all who can.
  if (tile.slots > 1 && !task.masked) return true;
  return task.rows >= tile.least_rows && (tile.slots == 1 || task.shares_rows);
}

}  // namespace

std::vector<int> rank_wgrad_tiles(const WgradTask& task) {
  std::vector<std::pair<double, int>> timed;
  for (int i = 0; i < static_cast<int>(std::size(kWgradTiles)); ++i)
    if (may_choose(kWgradTiles[i], task)) timed.push_back({time_of(kWgradTiles[i], task), i});
  std::ranges::sort(timed);  // equal times as listed
  std::vector<int> tiles;
  for (const auto& [time, tile] : timed) tiles.push_back(tile);
  return tiles;
}

int choose_wgrad_tile(const WgradTask& task, const KernelVariant* chosen) {
  for (int i = 0; chosen && i < static_cast<int>(std::size(kWgradTiles)); ++i)
    if (std::string_view(kWgradTiles[i].variant.name) == chosen->name &&
        !unsupported_tile(kWgradTiles[i], task))
      return i;
  int best = -1;
  double least = std::numeric_limits<double>::infinity();
  for (int i = 0; i < static_cast<int>(std::size(kWgradTiles)); ++i) {
    const WgradTile& tile = kWgradTiles[i];
    if (!suits(tile, task) || !may_choose(tile, task)) continue;
    if (const double time = time_of(tile, task); time < least) {
      least = time;
      best = i;
    }
  }
  return best;
}

std::optional<std::string> unsupported(const WgradTask& task, const KernelVariant& variant) {
  const std::string name = std::string("kernel ") + variant.name;
  for (const WgradTile& tile : kWgradTiles) {
    if (std::string_view(tile.variant.name) != variant.name) continue;
    const auto reason = unsupported_tile(tile, task);
    return reason ? std::optional(name + " " + *reason) : std::nullopt;
  }
  return name + " does fprop and dgrad only";
}

}  // namespace plans

std::span<const KernelVariant> wgrad_variants() {
  static const std::vector<KernelVariant> compiled = [] {
    const bool cuda = std::string_view(gpu::backend_name()) == "cuda";
    std::vector<KernelVariant> variants;
    for (const plans::WgradTile& tile : plans::kWgradTiles)
      if (cuda ? !tile.matrix : tile.variant.min_arch == 0) variants.push_back(tile.variant);
    return variants;
  }();
  return compiled;
}

}  // namespace spb
