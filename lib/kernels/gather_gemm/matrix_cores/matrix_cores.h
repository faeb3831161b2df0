// SPDX-License-Identifier: Apache-2.0
// The kernels of fprop and dgrad on matrix cores, as a family.
#pragma once

#include "kernels/gather_gemm/kernels.h"
#include "kernels/gather_gemm/matrix_cores/tiles.h"

namespace spb::plans {

/// `index` into kMatrixRowTiles.
void launch_matrix_rows(int index, Dtype dtype, const GatherGemmParams& params,
                        const gpu::Stream& stream);

/// Instances (CMakeLists.txt). E: the element type of gpu/element.cuh. Transposed: weights are not
/// in order of depth, as those of dgrad.
template <class E, bool Transposed>
void launch_matrix_rows_of(int index, const GatherGemmParams& params, const gpu::Stream& stream);

RowFamily matrix_row_family();

}  // namespace spb::plans
