// SPDX-License-Identifier: Apache-2.0
// What an activation and a residual cost in a pass of their own, as a framework runs them.
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "gpu/allocator.h"
#include "gpu/stream.h"

namespace spb::bench {

/// Hot time of a pass that reads `count` outputs of the dtype, and as many of a residual, and
/// stores max(sum, 0) in their place, 16 bytes at a time: memory decides, and every activation
/// takes as long. 0 without outputs.
double epilogue_pass_us(Dtype dtype, int64_t count, bool residual, gpu::Allocator& allocator,
                        const gpu::Stream& stream);

}  // namespace spb::bench
