// SPDX-License-Identifier: Apache-2.0
// Launches a kernel that reads halos. CUDA only.
#pragma once

#include <algorithm>

#include "kernels/gather_gemm/halo/kernel.cuh"
#include "kernels/tiling.h"

namespace spb::plans {

/// `most_blocks`: that a multiprocessor holds at a time. Fewer stay where a block then takes no
/// more tiles: those that take the most have a larger share of their multiprocessor.
template <class Rows>
void launch_halo_rows_at(const GatherGemmParams& params, int most_blocks,
                         const gpu::Stream& stream) {
  const int64_t column_tiles = tiles_of(params.n, Rows::kTileN);
  const auto blocks_of = [&](int of_multiprocessor) {
    return std::max<int64_t>(multiprocessors() * of_multiprocessor / column_tiles, 1);
  };
  const auto rounds = [&](int of_multiprocessor) {
    return tiles_of(params.halos.count, blocks_of(of_multiprocessor));
  };
  int blocks = most_blocks;
  while (blocks > 1 && rounds(blocks - 1) == rounds(most_blocks)) --blocks;
  const dim3 grid(static_cast<unsigned>(std::min(params.halos.count, blocks_of(blocks))),
                  static_cast<unsigned>(column_tiles));
  gpu::launch_early(halo_rows_kernel<Rows>, grid, dim3(Rows::kThreads), Rows::kSharedBytes, stream,
                    params);
}

}  // namespace spb::plans
