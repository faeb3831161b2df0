// SPDX-License-Identifier: Apache-2.0
// The compiled kernels of kernel.cuh: instances (CMakeLists.txt).
#pragma once

#include "kernels/gather_gemm/params.h"

namespace spb::plans {

/// `index` into kWgmmaRowVariants, E the element type of gpu/element.cuh. Transposed: weights are
/// not in order of depth, as those of dgrad; tf32 and 3xtf32 prepare them instead.
template <class E, bool Transposed>
void launch_wgmma_rows_of(int index, const GatherGemmParams& params, int multiprocessors,
                          const gpu::Stream& stream);

}  // namespace spb::plans
