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
constexpr int kM = 64, kN = 256;
constexpr int kStepBytes = 32;  // of k, of an instruction
constexpr int kRowBytes = 128, kBytes = (kWarpgroups * kM + kN) * kRowBytes;
constexpr int kAlignment = 1024;  // of a group of swizzled rows
constexpr int kMultiplies = 16;   // per round

template <class E>
GPU_KERNEL void __launch_bounds__(kThreads) multiply_kernel(int rounds, float* sink) {
  using Storage = typename E::Storage;
  auto* shared = gpu::dynamic_shared<char>();
  const uint32_t raw = gpu::sm80::shared_address(shared);
  const uint32_t first = (raw + kAlignment - 1) / kAlignment * kAlignment;
  auto* values = reinterpret_cast<Storage*>(shared + (first - raw));
  constexpr float kLargest = gpu::is_integer<E> ? 127 : 1;
  for (int i = static_cast<int>(threadIdx.x); i < kBytes / int{sizeof(Storage)}; i += kThreads)
    values[i] = E::store(kLargest * (static_cast<float>(mix(i + 1) >> 40) / (1 << 23) - 1.f));
  gpu::sm90::fence_for_multiply();
  gpu::sync_threads();

  const uint32_t warpgroup = threadIdx.x / 128;
  const uint64_t a = gpu::sm90::matrix_descriptor(first + warpgroup * kM * kRowBytes);
  const uint64_t b = gpu::sm90::matrix_descriptor(first + kWarpgroups * kM * kRowBytes);
  typename E::Sum sums[kN / 2] = {};
  for (int round = 0; round < rounds; ++round) {
    gpu::sm90::pin(sums);
    gpu::sm90::begin_multiplies();
    for (int i = 0; i < kMultiplies; ++i) {
      const uint64_t step = i * kStepBytes % kRowBytes / 16;  // descriptors count 16 bytes
      if constexpr (gpu::is_integer<E>)
        gpu::sm90::MultiplyI8<kN>::step(sums, a + step, b + step);
      else if constexpr (gpu::is_scaled<E>)
        gpu::sm90::MultiplyE4M3<kN, true>::step(sums, a + step, b + step);
      else
        gpu::sm90::Multiply<E::dtype == Dtype::bf16, kN, 0, 0>::step(sums, a + step, b + step);
    }
    gpu::sm90::commit_multiplies();
    gpu::sm90::wait_multiplies<0>();
    gpu::sm90::pin(sums);
  }
  float total = 0;
  for (int i = 0; i < kN / 2; ++i) total += static_cast<float>(sums[i]);
  if (total == 0.123456789f) *sink = total;
}

}  // namespace

std::optional<double> queue_multiplies(Dtype dtype, int rounds, float* sink,
                                       const gpu::Stream& stream) {
  if (gpu::device_in_use().arch != "sm_90") return {};
  const int blocks = gpu::multiprocessor_count();
  const auto queue = [&](auto kernel) {
    gpu::launch(kernel, dim3(blocks), dim3(kThreads), kBytes + kAlignment, stream, rounds, sink);
    const int depth = kStepBytes / info(dtype).input().bytes;
    return 2.0 * kM * kN * depth * kWarpgroups * kMultiplies * rounds * blocks;
  };
  if (dtype == Dtype::f16) return queue(multiply_kernel<gpu::F16>);
  if (dtype == Dtype::bf16) return queue(multiply_kernel<gpu::BF16>);
  if (dtype == Dtype::i8) return queue(multiply_kernel<gpu::I8>);
  if (dtype == Dtype::e4m3) return queue(multiply_kernel<gpu::E4M3>);
  return {};
}

const char* multiply_name() { return "wgmma"; }

}  // namespace spb::bench
