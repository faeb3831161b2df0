// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/sum_positions.h"

#include <type_traits>

#include "gpu/element.cuh"
#include "gpu/launch.cuh"
#include "kernels/common/epilogue.cuh"
#include "kernels/common/runs.cuh"

namespace spb::plans {
namespace {

/// Item = run of Width columns of a row: neighboring threads read the same entries of the table.
template <class E, class Product, int Width>
GPU_KERNEL void sum_positions_kernel(const typename Product::Storage* products,
                                     const int32_t* table, int64_t rows, int kernel_volume,
                                     int columns, OutputEpilogue epilogue,
                                     typename E::Storage* out) {
  using Products = Run<typename Product::Storage, Width>;
  const int64_t item = gpu::global_index();
  const int64_t row = item / (columns / Width);
  if (row >= rows) return;
  const int64_t column = item % (columns / Width) * Width;
  const int32_t* positions = table + row * kernel_volume;
  Run<float, Width> sums{};
  for (int o = 0; o < kernel_volume; ++o) {
    const int64_t position = positions[o];
    if (position < 0) continue;
    const Products next =
        *reinterpret_cast<const Products*>(products + position * columns + column);
    for (int w = 0; w < Width; ++w) sums.at[w] += Product::load(next.at[w]);
  }
  Run<typename E::Storage, Width> rounded{};
  const int64_t at = row * columns + column;
  finish<E>(sums.at, epilogue, column, at, rounded.at);
  *reinterpret_cast<Run<typename E::Storage, Width>*>(out + at) = rounded;
}

template <class E, class Product>
void sum(const void* products, const int32_t* table, int64_t rows, int kernel_volume, int columns,
         const OutputEpilogue& epilogue, void* out, const gpu::Stream& stream) {
  constexpr int kWide = 4;
  const auto launch = [&](auto kernel, int width) {
    gpu::launch_flat(kernel, rows * (columns / width), stream,
                     static_cast<const typename Product::Storage*>(products), table, rows,
                     kernel_volume, columns, epilogue, static_cast<typename E::Storage*>(out));
  };
  if (columns % kWide == 0 && is_run_aligned(products) && is_run_aligned(out))
    launch(sum_positions_kernel<E, Product, kWide>, kWide);
  else
    launch(sum_positions_kernel<E, Product, 1>, 1);
}

}  // namespace

void sum_positions(Dtype dtype, const void* products, bool rounded, const int32_t* table,
                   int64_t rows, int kernel_volume, int columns, const OutputEpilogue& epilogue,
                   void* out, const gpu::Stream& stream) {
  gpu::dispatch(dtype, [&](auto element) {
    using E = decltype(element);
    if constexpr (!std::is_same_v<typename E::Storage, float>)
      if (rounded)
        return sum<E, E>(products, table, rows, kernel_volume, columns, epilogue, out, stream);
    sum<E, gpu::F32>(products, table, rows, kernel_volume, columns, epilogue, out, stream);
  });
}

}  // namespace spb::plans
