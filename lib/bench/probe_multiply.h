// SPDX-License-Identifier: Apache-2.0
// The rate of a device's widest matrix instruction.
#pragma once

#include <optional>

#include "core/dtype.h"
#include "gpu/stream.h"

namespace spb::bench {

/// Queues `rounds` times 16 independent multiplies per warpgroup, whose operands stay in shared
/// memory, on all multiprocessors. Their operations, or nothing where the device has
/// no such instruction for the dtype, or this program no code for it: only wgmma of sm_90 so far.
std::optional<double> queue_multiplies(Dtype dtype, int rounds, float* sink,
                                       const gpu::Stream& stream);

/// "wgmma"; of what queue_multiplies() runs.
const char* multiply_name();

}  // namespace spb::bench
