// SPDX-License-Identifier: Apache-2.0
#include "gpu/device_info.h"
#include "kernels/common/halo_places.h"
#include "kernels/depthwise/depthwise.h"

namespace spb::plans {
namespace {

/// The longest run of tiles, and what a block costs beside its tiles, in their time: it loads
/// weights or writes partial sums, and waits for its first index. By profiles of an H200.
struct Run {
  int64_t longest;
  double start;
  int64_t resident = 2;  ///< blocks of a multiprocessor that run at a time
};
constexpr Run kRowRun{8, 0.7}, kWgradRun{128, 2};
/// Of slabs of a tile: a block waits for the tile's header, its list and its local indices.
constexpr Run kHaloRun{64, 0.7, kDepthwiseHaloBlocks};
/// Of tiles, as kWgradRun.
constexpr Run kHaloWgradRun{128, 2, kDepthwiseHaloWgradBlocks};

/// The length of runs of `tiles` that ends them first; `slices` blocks share each run.
int64_t best_run(int64_t tiles, int64_t slices, const Run& run) {
  const int64_t resident = run.resident * gpu::multiprocessor_count();
  int64_t best = 1;
  double least = 0;
  for (int64_t each = 1; each <= run.longest; ++each) {
    const int64_t blocks = (tiles + each - 1) / each * slices;
    const int64_t waves = (blocks + resident - 1) / resident;
    const double time = static_cast<double>(waves) * (static_cast<double>(each) + run.start);
    if (each > 1 && time >= least) continue;
    best = each;
    least = time;
  }
  return best;
}

}  // namespace

DepthwisePass::DepthwisePass(const maps::TileLists& lists, int volume, int channel_count,
                             Dtype dtype, Direction direction)
    : order(lists.order.size() > 0 ? lists.order.data() : nullptr),
      listed(lists.valid_kernel.data()),
      listed_begin(lists.valid_kernel_seg.data()),
      tile_index(lists.tile_index.data()),
      rows(lists.n_rows),
      tiles(lists.tiles),
      kernel_volume(volume),
      channels(channel_count) {
  constexpr int kLineBytes = 128;
  const int64_t slabs =
      (int64_t{channels} * info(dtype).input().bytes + kLineBytes - 1) / kLineBytes;
  const bool wgrad = direction == Direction::wgrad;
  const int64_t slices = wgrad ? (kernel_volume + kDepthwiseOffsets - 1) / kDepthwiseOffsets : 1;
  tiles_each = static_cast<int>(best_run(tiles, slabs * slices, wgrad ? kWgradRun : kRowRun));
}

DepthwiseHaloPass::DepthwiseHaloPass(const maps::TileLists& lists, int volume, int channel_count,
                                     Dtype dtype, Direction direction)
    : order(lists.order.data()),
      tiles(lists.halos.tiles.data()),
      slots(lists.halos.slots.data()),
      more(lists.halos.more.data()),
      local(lists.halos.local.data()),
      rows(lists.n_rows),
      tile_count(lists.halos.tiles.size()),
      kernel_volume(volume),
      channels(channel_count) {
  constexpr int kSlotBytes = HaloPlaces::kRowBytes;
  slabs = (channels * info(dtype).input().bytes + kSlotBytes - 1) / kSlotBytes;
  const bool wgrad = direction == Direction::wgrad;
  const int64_t items = wgrad ? tile_count : slabs, beside = wgrad ? slabs : tile_count;
  run = best_run(items, beside, wgrad ? kHaloWgradRun : kHaloRun);
  runs = (items + run - 1) / run;
}

bool depthwise_takes_halos(Dtype dtype, int kernel_volume, int channels, int64_t rows) {
  return kernel_volume <= maps::kMostHaloOffsets &&
         int64_t{channels} * info(dtype).input().bytes % HaloPlaces::kChunkBytes == 0 &&
         rows <= maps::HaloLists::kMostRows;
}

}  // namespace spb::plans
