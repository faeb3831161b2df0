// SPDX-License-Identifier: Apache-2.0
#include "bench/probe_sums.h"

namespace spb::bench {

std::optional<SumBits> e4m3_sum_bits(gpu::Allocator&, const gpu::Stream&) { return {}; }

}  // namespace spb::bench
