// SPDX-License-Identifier: Apache-2.0
#include "bench/probe_multiply.h"

namespace spb::bench {

std::optional<double> queue_multiplies(Dtype, int, float*, const gpu::Stream&) { return {}; }

const char* multiply_name() { return "none"; }

}  // namespace spb::bench
