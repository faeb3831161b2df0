// SPDX-License-Identifier: Apache-2.0
#include "bench/mix.cuh"
#include "bench/probe_multiply.h"
#include "gpu/device_info.h"
#include "gpu/element.cuh"
#include "gpu/launch.cuh"
#include "gpu/mma/sm90.cuh"

namespace spb::bench {
namespace {

constexpr int kWarpgroups = 2, kThreads = 128 * kWarpgroups;
constexpr int kM = 64, kN = 256, kK = 16;
constexpr int kDepth = 64;  // values of k in a row of 128 bytes
constexpr int kValues = (kWarpgroups * kM + kN) * kDepth;
constexpr int kAlignment = 1024;  // of a group of swizzled rows
constexpr int kMultiplies = 16;   // per round

template <class E>
GPU_KERNEL void __launch_bounds__(kThreads) multiply_kernel(int rounds, float* sink) {
  auto* shared = gpu::dynamic_shared<uint16_t>();
  const uint32_t raw = gpu::sm80::shared_address(shared);
  const uint32_t first = (raw + kAlignment - 1) / kAlignment * kAlignment;
  uint16_t* values = shared + (first - raw) / sizeof(uint16_t);
  for (int i = static_cast<int>(threadIdx.x); i < kValues; i += kThreads)
    values[i] = E::store(static_cast<float>(mix(i + 1) >> 40) / (1 << 23) - 1.f);
  gpu::sm90::fence_for_multiply();
  gpu::sync_threads();

  constexpr int kRowBytes = kDepth * 2;
  const uint32_t warpgroup = threadIdx.x / 128;
  const uint64_t a = gpu::sm90::matrix_descriptor(first + warpgroup * kM * kRowBytes);
  const uint64_t b = gpu::sm90::matrix_descriptor(first + kWarpgroups * kM * kRowBytes);
  float sums[kN / 2] = {};
  for (int round = 0; round < rounds; ++round) {
    gpu::sm90::pin(sums);
    gpu::sm90::begin_multiplies();
    for (int i = 0; i < kMultiplies; ++i) {
      const uint64_t step = i % (kDepth / kK) * (kK * 2 / 16);  // descriptors count 16 bytes
      gpu::sm90::Multiply<E::dtype == Dtype::bf16, kN, 0, 0>::step(sums, a + step, b + step);
    }
    gpu::sm90::commit_multiplies();
    gpu::sm90::wait_multiplies<0>();
    gpu::sm90::pin(sums);
  }
  float total = 0;
  for (int i = 0; i < kN / 2; ++i) total += sums[i];
  if (total == 0.123456789f) *sink = total;
}

}  // namespace

std::optional<double> queue_multiplies(Dtype dtype, int rounds, float* sink,
                                       const gpu::Stream& stream) {
  if (gpu::device_in_use().arch != "sm_90") return {};
  const int blocks = gpu::multiprocessor_count();
  const auto queue = [&](auto kernel) {
    gpu::launch(kernel, dim3(blocks), dim3(kThreads), kValues * 2 + kAlignment, stream, rounds,
                sink);
    return 2.0 * kM * kN * kK * kWarpgroups * kMultiplies * rounds * blocks;
  };
  if (dtype == Dtype::f16) return queue(multiply_kernel<gpu::F16>);
  if (dtype == Dtype::bf16) return queue(multiply_kernel<gpu::BF16>);
  return {};
}

const char* multiply_name() { return "wgmma"; }

}  // namespace spb::bench
