// Weights of fprop and dgrad as a kernel wants them that cannot take them as they lie.
#pragma once

#include "kernels/gather_gemm/pass.h"

namespace spb::plans {

/// Writes the fp32 weights of `pass` to pass.prepared: rounded to tf32, depth contiguous. Does not
/// wait.
void prepare_tf32_weights(const RowPass& pass, const gpu::Stream& stream);

}  // namespace spb::plans
