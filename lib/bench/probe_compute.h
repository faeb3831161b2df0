// SPDX-License-Identifier: Apache-2.0
// Kernels whose times say how fast a device computes, launches, and tells the time.
#pragma once

#include <cstdint>

#include "gpu/stream.h"

namespace spb::bench {

void queue_nothing(const gpu::Stream& stream);
/// One thread that ends after this time by the device's clock.
void queue_spin(double time_us, const gpu::Stream& stream);
/// Independent chains of fp32 multiply-adds in registers; returns their number times two.
double queue_fma_chains(int blocks, int rounds, float* sink, const gpu::Stream& stream);

}  // namespace spb::bench
