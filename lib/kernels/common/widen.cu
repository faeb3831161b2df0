// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/widen.h"

#include "gpu/element.cuh"
#include "gpu/launch.cuh"
#include "kernels/common/elements.cuh"

namespace spb::plans {
namespace {

template <int Width>
using Bytes = Elements<gpu::E4M3::Storage, Width>;
template <int Width>
using Wide = Elements<gpu::BF16::Storage, Width>;

template <int Width>
GPU_KERNEL void widen_kernel(const Bytes<Width>* from, int64_t words, Wide<Width>* to) {
  const int64_t i = gpu::global_index();
  if (i >= words) return;
  const Bytes<Width> bytes = from[i];
  Wide<Width> wide;
  GPU_UNROLL
  for (int k = 0; k < Width; ++k) wide.at[k] = gpu::BF16::store(gpu::E4M3::load(bytes.at[k]));
  to[i] = wide;
}

template <int Width>
void launch(const void* from, int64_t count, std::byte* to, const gpu::Stream& stream) {
  gpu::launch_flat(widen_kernel<Width>, count / Width, stream,
                   static_cast<const Bytes<Width>*>(from), count / Width,
                   reinterpret_cast<Wide<Width>*>(to));
}

}  // namespace

void widen_e4m3(const void* from, int64_t count, std::byte* to, const gpu::Stream& stream) {
  constexpr int kMost = 16, kLeast = 4;
  const auto lies_on = [](const void* p, size_t bytes) {
    return reinterpret_cast<uintptr_t>(p) % bytes == 0;
  };
  const bool most =
      count % kMost == 0 && lies_on(from, sizeof(Bytes<kMost>)) && lies_on(to, sizeof(Wide<kMost>));
  (most ? launch<kMost> : launch<kLeast>)(from, count, to, stream);
}

}  // namespace spb::plans
