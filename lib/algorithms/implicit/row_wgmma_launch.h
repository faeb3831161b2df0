// The compiled kernels of row_wgmma_kernel.cuh, one file per type and orientation of the weights.
#pragma once

#include "algorithms/implicit/row_pass.h"

namespace spb::plans {

/// `index` into kWgmmaRowVariants; Transposed is dgrad, whose weights are not in order of depth.
template <bool Bf16, bool Transposed>
void launch_wgmma_rows_of(int index, const RowPass& pass, int multiprocessors,
                          const gpu::Stream& stream);

}  // namespace spb::plans
