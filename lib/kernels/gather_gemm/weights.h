// SPDX-License-Identifier: Apache-2.0
// Weights of fprop and dgrad as a kernel wants them that cannot take them as they lie.
#pragma once

#include <cstddef>

#include "kernels/gather_gemm/params.h"

namespace spb::plans {

/// Writes the fp32 weights of `params` to params.prepared, depth contiguous: [columns,
/// tf32_parts(dtype), kernel_volume, depth]. Of tf32 they are rounded; of 3xtf32 split, high parts
/// before low ones (gpu/tf32x3.cuh). Depth, and columns where weights are turned, are multiples of
/// four; params.prepared lies on 16 bytes, weights anywhere. Does not wait.
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
