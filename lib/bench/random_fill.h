// SPDX-License-Identifier: Apache-2.0
// Data for probes and dense products: times on zeros flatter (cutlass #2004).
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "gpu/stream.h"

namespace spb::bench {

/// Fills `count` elements with numbers uniform in [-1, 1), of integer dtypes in [-127, 127], the
/// same for the same seed. Does not wait.
void random_fill(Dtype dtype, void* data, int64_t count, uint64_t seed, const gpu::Stream& stream);

}  // namespace spb::bench
