// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/reduce.h"

#include <type_traits>

#include "gpu/element.cuh"
#include "gpu/launch.cuh"
#include "kernels/common/epilogue.cuh"
#include "kernels/common/runs.cuh"

namespace spb::plans {
namespace {

/// `zeroed`: of the slices; may be null. `lets_begin`: the next kernel, before this one ends.
template <class E, int Width>
GPU_KERNEL void reduce_kernel(const typename E::Sum* partials, int split, int64_t count,
                              int columns, OutputEpilogue epilogue, typename E::Out* out,
                              typename E::Sum* zeroed, bool lets_begin) {
  gpu::wait_for_earlier_kernels_alone();
  if (lets_begin) gpu::let_next_kernel_begin();
  using Sums = Run<typename E::Sum, Width>;
  const int64_t i = gpu::global_index() * Width;
  if (i >= count) return;
  Sums sums = *reinterpret_cast<const Sums*>(partials + i);
  for (int s = 1; s < split; ++s) {
    const Sums next = *reinterpret_cast<const Sums*>(partials + s * count + i);
    for (int w = 0; w < Width; ++w) sums.at[w] += next.at[w];
  }
  if (zeroed) *reinterpret_cast<Sums*>(zeroed + i) = Sums{};
  Run<typename E::Out, Width> rounded{};
  if constexpr (std::is_same_v<E, gpu::I8ToI32>)
    rounded = sums;
  else
    finish<E>(sums.at, epilogue, epilogue.reads_columns() ? i % columns : 0, i, rounded.at);
  *reinterpret_cast<Run<typename E::Out, Width>*>(out + i) = rounded;
}

void launch_reduce(Dtype dtype, const float* partials, int split, int64_t count, int columns,
                   const OutputEpilogue& epilogue, void* out, float* zeroed, bool lets_begin,
                   const gpu::Stream& stream) {
  constexpr int kWide = 4;
  // Where no column is asked for, `columns` may be anything, and rows need not end where a run of
  // elements does.
  const bool wide = count % kWide == 0 && (!epilogue.reads_columns() || columns % kWide == 0) &&
                    is_run_aligned(partials) && is_run_aligned(out);
  const auto launch = [&](auto element) {
    using E = decltype(element);
    const auto* from = reinterpret_cast<const typename E::Sum*>(partials);
    auto* to = static_cast<typename E::Out*>(out);
    auto* cleared = reinterpret_cast<typename E::Sum*>(zeroed);
    if (wide)
      gpu::launch_flat_early(reduce_kernel<E, kWide>, count / kWide, stream, from, split, count,
                             columns, epilogue, to, cleared, lets_begin);
    else
      gpu::launch_flat_early(reduce_kernel<E, 1>, count, stream, from, split, count, columns,
                             epilogue, to, cleared, lets_begin);
  };
  if (info(dtype).stores_sums())
    launch(gpu::I8ToI32{});
  else if (info(dtype).is_scaled())
    gpu::dispatch_scaled("the sum of slices", dtype, launch);
  else
    gpu::dispatch(dtype, launch);
}

}  // namespace

void reduce_partials(Dtype dtype, const float* partials, int split, int64_t count, int columns,
                     const OutputEpilogue& epilogue, void* out, const gpu::Stream& stream,
                     bool lets_begin) {
  launch_reduce(dtype, partials, split, count, columns, epilogue, out, nullptr, lets_begin, stream);
}

void round_sums(Dtype dtype, float* sums, int64_t count, int columns,
                const OutputEpilogue& epilogue, void* out, const gpu::Stream& stream) {
  launch_reduce(dtype, sums, 1, count, columns, epilogue, out, sums, true, stream);
}

}  // namespace spb::plans
