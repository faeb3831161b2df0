// SPDX-License-Identifier: Apache-2.0
#include "gpu/device_info.h"
#include "kernels/depthwise/depthwise.h"

namespace spb::plans {
namespace {

/// Blocks per multiprocessor that are enough to fill the device a few times over. Beyond them runs
/// of tiles get longer: weights are loaded, and partial sums written, once for each run.
constexpr int64_t kBlocksEach = 32;
constexpr int kMostTilesOfRows = 8;  // a tail of long runs would leave the device idle

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
  const int64_t enough = kBlocksEach * gpu::multiprocessor_count();
  const int64_t each = (tiles * slabs * slices + enough - 1) / enough;
  tiles_each = static_cast<int>(each < 1                            ? 1
                                : !wgrad && each > kMostTilesOfRows ? kMostTilesOfRows
                                                                    : each);
}

}  // namespace spb::plans
