#include "algorithms/implicit/wgrad_tiles.h"

#include <algorithm>
#include <array>
#include <iterator>

#include "algorithms/implicit/tiling.h"
#include "algorithms/plans.h"

namespace spb {
namespace plans {
namespace {

constexpr std::array<KernelVariant, std::size(kWgradTiles)> variants() {
  std::array<KernelVariant, std::size(kWgradTiles)> all{};
  for (size_t i = 0; i < all.size(); ++i) all[i] = kWgradTiles[i].variant;
  return all;
}
constexpr auto kVariants = variants();

/// Nothing, or why a variant cannot do a task.
std::optional<std::string> task_obstacle(const WgradTile& tile, const WgradTask& task) {
  auto reason = obstacle(tile.variant, task.dtype, task.architecture, task.c_in, task.c_out);
  if (!reason && wgrad_shared_bytes(tile) > most_shared_bytes(task.architecture))
    reason = "needs " + std::to_string(wgrad_shared_bytes(tile)) + " bytes of shared memory";
  return reason;
}

/// Relative time of a task.
double time_of(const WgradTile& tile, const WgradTask& task) {
  const KernelVariant& v = tile.variant;
  const double units = double{1} * task.kernel_volume * wgrad_tiles_of(v, task.c_out, task.c_in);
  // Without a split, units fewer than the device runs at a time leave a part of it idle.
  const double slots = double{1} * tile.blocks * task.multiprocessors;
  return double{1} * v.tile_m * v.tile_n / tile.speed *
         (task.split ? units : std::max(units, slots));
}

}  // namespace

int choose_wgrad_tile(const WgradTask& task, std::string_view forced) {
  int best = -1;
  for (int i = 0; i < static_cast<int>(std::size(kWgradTiles)); ++i) {
    const WgradTile& tile = kWgradTiles[i];
    if (task_obstacle(tile, task)) continue;
    if (tile.variant.name == forced) return i;
    if (best < 0 || time_of(tile, task) < time_of(kWgradTiles[best], task)) best = i;
  }
  return best;
}

std::optional<std::string> unsupported_wgrad_variant(const Problem& problem) {
  const std::string& name = forced_variant();
  if (problem.direction != Direction::wgrad || name.empty()) return {};
  const WgradTask task{problem.dtype, problem.c_out,  problem.c_in,     problem.kernel_volume(),
                       false,         architecture(), multiprocessors()};
  for (const WgradTile& tile : kWgradTiles) {
    if (tile.variant.name != name) continue;
    const auto reason = task_obstacle(tile, task);
    return reason ? std::optional("kernel " + name + " " + *reason) : std::nullopt;
  }
  return "kernel " + name + " does fprop and dgrad only";
}

}  // namespace plans

std::span<const KernelVariant> wgrad_variants() { return plans::kVariants; }

}  // namespace spb
