// SPDX-License-Identifier: Apache-2.0
// Weights of fprop and dgrad as a kernel wants them that cannot take them as they lie.
#pragma once

#include <cstddef>

#include "kernels/gather_gemm/params.h"

namespace spb::plans {

/// Floats of GatherGemmParams::prepared per weight: tf32's rounded value; of 3xtf32 both parts
/// (gpu/tf32x3.cuh); 0 where warpgroups multiply weights as they lie.
constexpr int prepared_floats(Dtype dtype) {
  return dtype == Dtype::tf32 ? 1 : dtype == Dtype::tf32x3 ? 2 : 0;
}
/// Writes the fp32 weights of `params` to params.prepared, depth contiguous: [columns, parts,
/// kernel_volume, depth], high parts before low ones. Does not wait.
void prepare_weights(Dtype dtype, const GatherGemmParams& params, const gpu::Stream& stream);

/// [depth, kernel_volume, columns].
struct WeightShape {
  int depth, kernel_volume, columns;
};
/// Weights of bytes as [columns, kernel_volume, depth]; depth and columns are multiples of four.
/// Both sides lie on 4 bytes. Does not wait.
void turn_byte_weights(const void* weights, const WeightShape& shape, std::byte* to,
                       const gpu::Stream& stream);

}  // namespace spb::plans
