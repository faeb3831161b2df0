// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/widen.h"

#include "gpu/element.cuh"
#include "gpu/launch.cuh"
#include "kernels/common/elements.cuh"

namespace spb::plans {
namespace {

constexpr int kOfThread = 4;
using Bytes = Elements<gpu::E4M3::Storage, kOfThread>;
using Wide = Elements<gpu::BF16::Storage, kOfThread>;

GPU_KERNEL void widen_kernel(const Bytes* from, int64_t words, Wide* to) {
  const int64_t i = gpu::global_index();
  if (i >= words) return;
  const Bytes bytes = from[i];
  Wide wide;
  GPU_UNROLL
  for (int k = 0; k < kOfThread; ++k) wide.at[k] = gpu::BF16::store(gpu::E4M3::load(bytes.at[k]));
  to[i] = wide;
}

}  // namespace

void widen_e4m3(const void* from, int64_t count, std::byte* to, const gpu::Stream& stream) {
  const int64_t words = count / kOfThread;
  gpu::launch_flat(widen_kernel, words, stream, static_cast<const Bytes*>(from), words,
                   reinterpret_cast<Wide*>(to));
}

}  // namespace spb::plans
