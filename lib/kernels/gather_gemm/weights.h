// SPDX-License-Identifier: Apache-2.0
// Weights of fprop and dgrad as a kernel wants them that cannot take them as they lie.
#pragma once

#include "kernels/gather_gemm/params.h"

namespace spb::plans {

/// Writes the fp32 weights of `params` to params.prepared: rounded to tf32, depth contiguous. Does
/// not wait.
void prepare_tf32_weights(const GatherGemmParams& params, const gpu::Stream& stream);

}  // namespace spb::plans
