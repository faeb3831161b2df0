// SPDX-License-Identifier: Apache-2.0
#include "bench/random_fill.h"

#include "bench/mix.cuh"
#include "gpu/element.cuh"
#include "gpu/launch.cuh"

namespace spb::bench {
namespace {

template <class E>
GPU_KERNEL void fill_kernel(typename E::Storage* data, int64_t count, uint64_t seed) {
  const int64_t i = gpu::global_index();
  if (i >= count) return;
  constexpr float kStep = 1.f / (1 << 23);
  const auto bits = static_cast<uint32_t>(mix(seed + static_cast<uint64_t>(i)) >> 40);  // 24
  constexpr float kLargest = gpu::is_integer<E> ? 127 : 1;
  data[i] = E::store((static_cast<float>(bits) * kStep - 1.f) * kLargest);
}

}  // namespace

void random_fill(Dtype dtype, void* data, int64_t count, uint64_t seed, const gpu::Stream& stream) {
  const auto fill = [&]<class E>(E) {
    gpu::launch_flat(fill_kernel<E>, count, stream, static_cast<typename E::Storage*>(data), count,
                     seed);
  };
  if (dtype == Dtype::tf32x3)
    fill(gpu::TF32x3{});
  else
    gpu::dispatch_product(dtype, fill);
}

}  // namespace spb::bench
