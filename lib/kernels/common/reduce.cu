// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/reduce.h"

#include "gpu/element.cuh"
#include "gpu/launch.cuh"
#include "kernels/common/epilogue.cuh"
#include "kernels/common/runs.cuh"

namespace spb::plans {
namespace {

/// `zeroed`: of the slices; may be null.
template <class E, int Width>
GPU_KERNEL void reduce_kernel(const float* partials, int split, int64_t count, int columns,
                              OutputEpilogue epilogue, typename E::Storage* out, float* zeroed) {
  gpu::wait_for_earlier_kernels();
  using Sums = Run<float, Width>;
  const int64_t i = gpu::global_index() * Width;
  if (i >= count) return;
  Sums sums = *reinterpret_cast<const Sums*>(partials + i);
  for (int s = 1; s < split; ++s) {
    const Sums next = *reinterpret_cast<const Sums*>(partials + s * count + i);
    for (int w = 0; w < Width; ++w) sums.at[w] += next.at[w];
  }
  if (zeroed) *reinterpret_cast<Sums*>(zeroed + i) = Sums{};
  Run<typename E::Storage, Width> rounded;
  finish<E>(sums.at, epilogue, epilogue.bias ? i % columns : 0, i);
  for (int w = 0; w < Width; ++w) rounded.at[w] = E::store(sums.at[w]);
  *reinterpret_cast<Run<typename E::Storage, Width>*>(out + i) = rounded;
}

void launch_reduce(Dtype dtype, const float* partials, int split, int64_t count, int columns,
                   const OutputEpilogue& epilogue, void* out, float* zeroed,
                   const gpu::Stream& stream) {
  constexpr int kWide = 4;
  // Without a bias `columns` may be anything, and rows need not end where a run of elements does.
  const bool wide = count % kWide == 0 && (!epilogue.bias || columns % kWide == 0) &&
                    is_run_aligned(partials) && is_run_aligned(out);
  gpu::dispatch(dtype, [&](auto element) {
    using E = decltype(element);
    auto* to = static_cast<typename E::Storage*>(out);
    if (wide)
      gpu::launch_flat_early(reduce_kernel<E, kWide>, count / kWide, stream, partials, split, count,
                             columns, epilogue, to, zeroed);
    else
      gpu::launch_flat_early(reduce_kernel<E, 1>, count, stream, partials, split, count, columns,
                             epilogue, to, zeroed);
  });
}

}  // namespace

void reduce_partials(Dtype dtype, const float* partials, int split, int64_t count, int columns,
                     const OutputEpilogue& epilogue, void* out, const gpu::Stream& stream) {
  launch_reduce(dtype, partials, split, count, columns, epilogue, out, nullptr, stream);
}

void round_sums(Dtype dtype, float* sums, int64_t count, int columns,
                const OutputEpilogue& epilogue, void* out, const gpu::Stream& stream) {
  launch_reduce(dtype, sums, 1, count, columns, epilogue, out, sums, stream);
}

}  // namespace spb::plans
