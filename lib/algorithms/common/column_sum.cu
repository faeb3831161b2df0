#include "algorithms/common/column_sum.h"
#include "algorithms/common/reduce.h"
#include "gpu/buffer.h"
#include "gpu/element.cuh"
#include "gpu/launch.cuh"

namespace spb::plans {
namespace {

template <class E>
GPU_KERNEL void partial_sum_kernel(const typename E::Storage* matrix, int64_t rows, int columns,
                                   int64_t rows_each, float* partials, int64_t count) {
  const int64_t i = gpu::global_index();
  if (i >= count) return;
  const int64_t first = i / columns * rows_each, column = i % columns;
  const int64_t end = first + rows_each < rows ? first + rows_each : rows;
  float sum = 0;
  for (int64_t row = first; row < end; ++row) sum += E::load(matrix[row * columns + column]);
  partials[i] = sum;
}

}  // namespace

void column_sum(Dtype dtype, const void* matrix, int64_t rows, int columns, float* partials,
                float* sums, const gpu::Stream& stream) {
  const int64_t pieces = partials_of(rows), count = pieces * columns;
  if (rows == 0) {
    gpu::fill_bytes(sums, 0, columns * int64_t{sizeof(float)}, stream);
    return;
  }
  // Nothing is multiplied, so tf32 is not rounded.
  gpu::dispatch(dtype == Dtype::tf32 ? Dtype::f32 : dtype, [&](auto element) {
    using E = decltype(element);
    gpu::launch_flat(partial_sum_kernel<E>, count, stream,
                     static_cast<const typename E::Storage*>(matrix), rows, columns,
                     rows_per_partial(rows), partials, count);
  });
  reduce_slices(Dtype::f32, partials, static_cast<int>(pieces), columns, columns, nullptr, sums,
                stream);
}

}  // namespace spb::plans
