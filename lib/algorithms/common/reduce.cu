#include "algorithms/common/reduce.h"
#include "gpu/element.cuh"
#include "gpu/launch.cuh"

namespace spb::plans {
namespace {

template <class E>
GPU_KERNEL void reduce_kernel(const float* slices, int split, int64_t count, int columns,
                              const float* bias, typename E::Storage* out) {
  const int64_t i = gpu::global_index();
  if (i >= count) return;
  float sum = slices[i];
  for (int s = 1; s < split; ++s) sum += slices[s * count + i];
  out[i] = E::store(bias ? sum + bias[i % columns] : sum);
}

}  // namespace

void reduce_slices(Dtype dtype, const float* slices, int split, int64_t count, int columns,
                   const float* bias, void* out, const gpu::Stream& stream) {
  gpu::dispatch(dtype, [&](auto element) {
    using E = decltype(element);
    gpu::launch_flat(reduce_kernel<E>, count, stream, slices, split, count, columns, bias,
                     static_cast<typename E::Storage*>(out));
  });
}

}  // namespace spb::plans
