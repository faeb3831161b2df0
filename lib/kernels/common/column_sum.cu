// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/column_sum.h"

#include "gpu/buffer.h"
#include "gpu/element.cuh"
#include "gpu/launch.cuh"
#include "kernels/common/elements.cuh"

namespace spb::plans {
namespace {

constexpr int kThreads = 256;
/// Threads side by side on a row, at most: a warp's lines are whole, and eight rows at a time leave
/// few reads to wait for, one after the other.
constexpr int kMostLanes = 32;

/// Adds up `sums` over the threads that differ in the high bits of their index only; those with the
/// lowest `lanes` indices have the result.
template <int Width>
__device__ void add_over_rows(float (&sums)[Width], int thread, int lanes) {
  __shared__ float shared[Width][kThreads];
  for (int w = 0; w < Width; ++w) shared[w][thread] = sums[w];
  for (int half = kThreads / 2; half >= lanes; half /= 2) {
    gpu::sync_threads();
    if (thread >= half) continue;
    for (int w = 0; w < Width; ++w) shared[w][thread] += shared[w][thread + half];
  }
  for (int w = 0; w < Width; ++w) sums[w] = shared[w][thread];
}

/// Grid: x = partial sums, y = `lanes` times Width columns each. `lanes` threads, a power of two,
/// stand side by side on a row.
template <class E, int Width>
GPU_KERNEL void partial_sum_kernel(const typename E::Storage* matrix, int64_t rows, int columns,
                                   int64_t rows_each, int lanes, float* partials) {
  gpu::wait_for_earlier_kernels();
  const int thread = static_cast<int>(threadIdx.x);
  const int column = (static_cast<int>(blockIdx.y) * lanes + thread % lanes) * Width;
  const int64_t first = int64_t{blockIdx.x} * rows_each;
  const int64_t end = first + rows_each < rows ? first + rows_each : rows;
  float sums[Width] = {};
  if (column < columns)
    for (int64_t row = first + thread / lanes; row < end; row += kThreads / lanes) {
      const auto elements = *reinterpret_cast<const Elements<typename E::Storage, Width>*>(
          matrix + row * columns + column);
      for (int w = 0; w < Width; ++w) sums[w] += E::load(elements.at[w]);
    }
  add_over_rows(sums, thread, lanes);
  if (thread < lanes && column < columns)
    for (int w = 0; w < Width; ++w) partials[int64_t{blockIdx.x} * columns + column + w] = sums[w];
}

constexpr int kSumLanes = 8;  // of one column each a sector, of four a line of the cache
constexpr int kSumRows = kThreads / kSumLanes;
constexpr int kSumTogether = 4;  // rows of a thread whose columns are under way at once

/// Grid: x = kSumLanes times Width columns each. In the same sequence whatever Width is.
template <class E, int Width>
GPU_KERNEL void sum_partials_kernel(const float* partials, int64_t count, int64_t columns,
                                    typename E::Storage* sums) {
  gpu::wait_for_earlier_kernels();
  const int thread = static_cast<int>(threadIdx.x);
  const int64_t column = (int64_t{blockIdx.x} * kSumLanes + thread % kSumLanes) * Width;
  float sum[Width] = {};
  if (column < columns)
    for (int64_t i = thread / kSumLanes; i < count; i += kSumTogether * kSumRows) {
      Elements<float, Width> rows[kSumTogether] = {};  // what is not there adds nothing
      GPU_UNROLL_AMD
      for (int j = 0; j < kSumTogether; ++j)
        if (const int64_t row = i + j * kSumRows; row < count)
          rows[j] =
              *reinterpret_cast<const Elements<float, Width>*>(partials + row * columns + column);
      GPU_UNROLL_AMD
      for (int j = 0; j < kSumTogether; ++j)
        for (int w = 0; w < Width; ++w) sum[w] += rows[j].at[w];
    }
  add_over_rows(sum, thread, kSumLanes);
  if (thread < kSumLanes && column < columns)
    for (int w = 0; w < Width; ++w) sums[column + w] = E::store(sum[w]);
}

template <class E, int Width>
void launch_sum_partials(const float* partials, int64_t count, int64_t columns, void* out,
                         const gpu::Stream& stream) {
  constexpr int64_t kBlockColumns = kSumLanes * Width;
  gpu::launch_early(sum_partials_kernel<E, Width>,
                    dim3(gpu::grid_of((columns + kBlockColumns - 1) / kBlockColumns)),
                    dim3(kThreads), 0, stream, partials, count, columns,
                    static_cast<typename E::Storage*>(out));
}

template <class E, int Width>
void launch_partial_sums(const void* matrix, int64_t rows, int columns, float* partials,
                         const gpu::Stream& stream) {
  const int wide_columns = columns / Width;
  int lanes = 1;
  while (lanes < kMostLanes && lanes < wide_columns) lanes *= 2;
  const dim3 grid(static_cast<unsigned>(partials_of(rows)),
                  static_cast<unsigned>((wide_columns + lanes - 1) / lanes));
  gpu::launch_early(partial_sum_kernel<E, Width>, grid, dim3(kThreads), 0, stream,
                    static_cast<const typename E::Storage*>(matrix), rows, columns,
                    rows_per_partial(rows), lanes, partials);
}

}  // namespace

void column_sum(Dtype dtype, const void* matrix, int64_t rows, int columns, float* partials,
                float* sums, const gpu::Stream& stream) {
  if (rows == 0) {
    gpu::fill_bytes(sums, 0, columns * int64_t{sizeof(float)}, stream);
    return;
  }
  // Nothing is multiplied, so what is stored as fp32 is not rounded.
  gpu::dispatch_factors(info(dtype).in == Storage::f32 ? Dtype::f32 : dtype, [&](auto element) {
    using E = decltype(element);
    constexpr int kWidth = 16 / sizeof(typename E::Storage);
    if (columns % kWidth == 0 && reinterpret_cast<uintptr_t>(matrix) % 16 == 0)
      launch_partial_sums<E, kWidth>(matrix, rows, columns, partials, stream);
    else
      launch_partial_sums<E, 1>(matrix, rows, columns, partials, stream);
  });
  sum_partials(Dtype::f32, partials, partials_of(rows), columns, sums, stream);
}

void sum_partials(Dtype dtype, const float* partials, int64_t count, int64_t columns, void* out,
                  const gpu::Stream& stream) {
  gpu::dispatch(dtype, [&](auto element) {
    using E = decltype(element);
    if (columns < kManyColumns)
      return launch_sum_partials<E, 1>(partials, count, columns, out, stream);
    with_width<float>(columns, {partials}, [&]<int Width>() {
      launch_sum_partials<E, Width>(partials, count, columns, out, stream);
    });
  });
}

}  // namespace spb::plans
