// SPDX-License-Identifier: Apache-2.0
#include "bench/probe_compute.h"

#include "gpu/launch.cuh"

namespace spb::bench {
namespace {

constexpr int kThreads = 256;
constexpr int kSteps = 16;   // per round: next to them counting rounds costs nothing
constexpr int kChains = 16;  // per thread: hides the latency of a multiply-add

GPU_KERNEL void empty_kernel() {}

GPU_KERNEL void spin_kernel(uint64_t time_ns) {
  const uint64_t begin = gpu::nanoseconds();
  while (gpu::nanoseconds() - begin < time_ns) {
  }
}

GPU_KERNEL void chains_kernel(int rounds, float* sink) {
  float sums[kChains];
  for (int c = 0; c < kChains; ++c) sums[c] = static_cast<float>(threadIdx.x + c);
  // Not known to the compiler, and the sums stay finite.
  const float factor = 1.f - 1.f / static_cast<float>(rounds + 1);
  for (int i = 0; i < rounds; ++i) {
    for (int step = 0; step < kSteps; ++step)
      for (int c = 0; c < kChains; ++c) sums[c] = sums[c] * factor + 0.5f;
  }
  float total = 0;
  for (int c = 0; c < kChains; ++c) total += sums[c];
  if (total == 0.123456789f) *sink = total;
}

}  // namespace

void queue_nothing(const gpu::Stream& stream) {
  gpu::launch_plain(empty_kernel, dim3(1), dim3(1), stream);
}

void queue_spin(double time_us, const gpu::Stream& stream) {
  gpu::launch_plain(spin_kernel, dim3(1), dim3(1), stream, static_cast<uint64_t>(time_us * 1e3));
}

double queue_fma_chains(int blocks, int rounds, float* sink, const gpu::Stream& stream) {
  gpu::launch_plain(chains_kernel, dim3(static_cast<unsigned>(blocks)), dim3(kThreads), stream,
                    rounds, sink);
  return 2.0 * blocks * kThreads * kChains * kSteps * rounds;
}

}  // namespace spb::bench
