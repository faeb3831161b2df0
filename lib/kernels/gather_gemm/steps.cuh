// SPDX-License-Identifier: Apache-2.0
// Which steps a block of fprop or dgrad takes.
#pragma once

#include "gpu/runtime.h"
#include "kernels/gather_gemm/params.h"
#include "kernels/gather_gemm/slice.h"

namespace spb::plans {

/// The steps of one tile and slice: (listed offset, TileK deep block) in order, without a break
/// between offsets.
struct RowSteps {
  int64_t first_listed = 0;  ///< into GatherGemmParams::listed, of the tile
  int offsets = 0;           ///< of the tile
  int blocks = 0;            ///< of the depth
  int first = 0, end = 0;    ///< of the slice, among offsets * blocks
};

__device__ inline RowSteps row_steps(const GatherGemmParams& params, const RowLists& lists,
                                     int64_t tile, int slice, int tile_k) {
  RowSteps steps;
  steps.blocks = (params.k + tile_k - 1) / tile_k;
  steps.offsets = params.kernel_volume;
  if (lists.listed_begin) {
    steps.first_listed = lists.listed_begin[tile];
    steps.offsets = static_cast<int>(lists.listed_begin[tile + 1] - steps.first_listed);
  }
  const int64_t all = int64_t{steps.offsets} * steps.blocks;
  const bool whole = params.segment_count > 0;
  steps.first = whole ? 0 : static_cast<int>(slice_begin(slice, params.split, all));
  steps.end = static_cast<int>(whole ? all : slice_begin(slice + 1, params.split, all));
  return steps;
}

}  // namespace spb::plans
