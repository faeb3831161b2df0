// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>

#include "maps/lists/tile_index.cuh"
#include "maps/pairs/pair_fill.cuh"

namespace spb::maps {
namespace {

constexpr unsigned kMostTogether = 128;  // threads of a block, as many as a tile has rows

/// The first blocks write tiles, the others pairs.
GPU_KERNEL void __launch_bounds__(kMostTogether)
    fill_together_kernel(IndexFill index, uint32_t index_blocks, PairFill pairs) {
  gpu::wait_for_earlier_kernels();
  const uint32_t block = blockIdx.x;
  if (block < index_blocks)
    write_index(index, block);
  else
    write_pairs(pairs, block - index_blocks);
}

}  // namespace

void launch_fill(const std::optional<IndexFill>& index, const std::optional<PairFill>& pairs,
                 const gpu::Stream& stream) {
  const bool together = index && pairs && index->block_rows <= kMostTogether &&
                        std::has_single_bit(index->block_rows);
  if (!together) {
    if (index) launch_fill(*index, stream);
    if (pairs) launch_fill(*pairs, stream);
    return;
  }
  const unsigned threads = index->block_rows;
  const int64_t blocks = index->blocks() + pairs->blocks(threads);
  gpu::launch_few_early(fill_together_kernel, dim3(gpu::grid_of(blocks)), dim3(threads),
                        std::max(index->shared_bytes, pairs->shared_bytes(threads)), stream, *index,
                        gpu::grid_of(index->blocks()), *pairs);
}

}  // namespace spb::maps
