// SPDX-License-Identifier: Apache-2.0
#include "gpu/element.cuh"
#include "gpu/mma/matrix_cores_in_use.h"
#include "kernels/gather_gemm/matrix_cores/matrix_cores.h"

namespace spb::plans {
namespace {

int resident_blocks(int index, const RowWork&) {
  return gpu::device_has(kMatrixRowTiles[index].cores) ? 2 : 0;  // by its launch bounds
}

}  // namespace

void launch_matrix_rows(int index, Dtype dtype, const GatherGemmParams& params,
                        const gpu::Stream& stream) {
  // Of fprop alone.
  if (dtype == Dtype::i8) return launch_matrix_rows_of<gpu::I8, false>(index, params, stream);
  if (dtype == Dtype::i8_f32)
    return launch_matrix_rows_of<gpu::I8ToF32, false>(index, params, stream);
  const bool transposed = params.weight_k_pitch != 1;
  const auto launch = [&]<class E>(E) {
    if constexpr ((kMatrixRowDtypes & dtype_bit(E::dtype)) != 0) {
      const auto of = transposed ? launch_matrix_rows_of<E, true> : launch_matrix_rows_of<E, false>;
      of(index, params, stream);
    } else {
      no_instance(kMatrixRowTiles[index].name, dtype);
    }
  };
  if (dtype == Dtype::f32) return launch(gpu::F32{});
  if (dtype == Dtype::tf32) return launch(gpu::TF32{});
  gpu::dispatch_halves("the kernel on matrix cores", dtype, launch);
}

RowFamily matrix_row_family() {
  return {.variants = kMatrixRowVariants,
          .resident_blocks = resident_blocks,
          .launch = launch_matrix_rows,
          .mma_depth = products_of_instruction,
          .flushes_subnormals =
              [](int index, Dtype dtype) {
                return gpu::flush_subnormals(kMatrixRowTiles[index].cores, dtype);
              },
          // Nothing was measured; no choice rests on it.
          .macs_per_us = [](Dtype) { return 0.01; },
          .takes_groups = true,
          .unsupported_reason = kNeedsMatrixCores};
}

}  // namespace spb::plans
