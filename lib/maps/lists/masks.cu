// SPDX-License-Identifier: Apache-2.0
// Which offsets each row has, as bits.
#include "gpu/launch.cuh"
#include "maps/orders/gray.h"
#include "maps/table/pending_map.h"

namespace spb::maps {
namespace {

/// Item = (row, word).
GPU_KERNEL void masks_kernel(const int32_t* map, int64_t items, int32_t kernel_volume,
                             int32_t words_per_row, uint32_t* words) {
  gpu::wait_for_earlier_kernels();
  const int64_t item = gpu::global_index();
  if (item >= items) return;
  const auto first = static_cast<int32_t>(item % words_per_row) * 32;
  const int32_t bits = kernel_volume - first < 32 ? kernel_volume - first : 32;
  const int32_t* neighbors = map + item / words_per_row * kernel_volume + first;
  uint32_t mask = 0;
  for (int32_t bit = 0; bit < bits; ++bit)
    mask |= static_cast<uint32_t>(neighbors[bit] >= 0) << bit;
  words[item] = mask;
}

}  // namespace

RowMasks empty_masks(const NeighborMap& map, BuildContext context) {
  RowMasks masks;
  masks.n_rows = map.n_rows;
  masks.kernel_volume = map.kernel_volume;
  masks.words_per_row = mask_words(map.kernel_volume);
  masks.kernel_size = map.kernel_size;
  masks.common_offset = map.common_offset;
  masks.words =
      gpu::Buffer<uint32_t>(context.allocator, masks.n_rows * masks.words_per_row, gpu::Tag::plan);
  return masks;
}

RowMasks build_masks(const NeighborMap& map, BuildContext context) {
  RowMasks masks = empty_masks(map, context);
  const int64_t items = masks.words.size();
  gpu::launch_flat_few_early(masks_kernel, items, context.stream, map.rows.data(), items,
                             map.kernel_volume, masks.words_per_row, masks.words.data());
  return masks;
}

}  // namespace spb::maps
