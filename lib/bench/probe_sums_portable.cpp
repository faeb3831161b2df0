// SPDX-License-Identifier: Apache-2.0
#include "bench/probe_sums.h"

namespace spb::bench {

SumTable wgmma_sums(float, gpu::Allocator&, const gpu::Stream&) { return {}; }
SumTable mma_sync_sums(float, gpu::Allocator&, const gpu::Stream&) { return {}; }

}  // namespace spb::bench
