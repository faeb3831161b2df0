// SPDX-License-Identifier: Apache-2.0
// The kernels of fprop and dgrad on matrix cores, as a family.
#pragma once

#include "kernels/gather_gemm/kernels.h"
#include "kernels/gather_gemm/matrix_cores/tiles.h"

namespace spb::plans {

/// `index` into the variants of matrix_row_family().
void launch_matrix_rows(int index, Dtype dtype, const GatherGemmParams& params,
                        const gpu::Stream& stream);

/// Instances (CMakeLists.txt). E: the element type of gpu/element.cuh. Transposed: weights are not
/// in order of depth, as those of dgrad. `tile`: index into kMatrixRowTiles.
template <class E, bool Transposed>
void launch_matrix_rows_of(int tile, const GatherGemmParams& params, const gpu::Stream& stream);

/// Of the tiles that this build has code for.
RowFamily matrix_row_family();

}  // namespace spb::plans
