// SPDX-License-Identifier: Apache-2.0
// The asynchronous kernel of fprop and dgrad, chosen and launched by number.
#pragma once

#include "kernels/gather_gemm/params.h"
#include "kernels/gather_gemm/sm80/tiles.h"

namespace spb::plans {

/// `index` into kSm80RowTiles.
void launch_sm80_rows(int index, Dtype dtype, const GatherGemmParams& params,
                      const gpu::Stream& stream);

/// Blocks that a multiprocessor of the current device holds at a time; 0 where the variant cannot
/// run: an older architecture, too little shared memory, another dtype, no instance of the form.
/// `transposed`: dgrad.
int sm80_row_blocks(int index, Dtype dtype, bool transposed, Sm80RowForm form);

/// Instances (CMakeLists.txt). E: the element type of gpu/element.cuh. Transposed: weights are not
/// in order of depth, as those of dgrad.
template <class E, bool Transposed>
void launch_sm80_row_of(int index, const GatherGemmParams& params, const gpu::Stream& stream);
template <class E, bool Transposed>
int sm80_row_blocks_of(int index, Sm80RowForm form);

}  // namespace spb::plans
