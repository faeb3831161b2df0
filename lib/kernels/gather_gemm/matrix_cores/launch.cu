// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <array>
#include <iterator>

#include "gpu/element.cuh"
#include "gpu/mma/matrix_cores.cuh"
#include "gpu/mma/matrix_cores_in_use.h"
#include "kernels/gather_gemm/matrix_cores/matrix_cores.h"

namespace spb::plans {
namespace {

constexpr bool is_built(const MatrixTile& tile) { return gpu::is_built_for(tile.cores); }

/// Of the table those that this build has code for: the family counts from the first of them.
constexpr auto kFirst =
    static_cast<size_t>(std::ranges::find_if(kMatrixRowTiles, is_built) - kMatrixRowTiles);
constexpr auto kBuilt = static_cast<size_t>(std::ranges::count_if(kMatrixRowTiles, is_built));
static_assert(std::all_of(kMatrixRowTiles + kFirst, kMatrixRowTiles + kFirst + kBuilt, is_built));

constexpr auto kBuiltVariants = [] {
  constexpr bool kOfCuda = !gpu::is_built_for(gpu::MatrixCores::cdna);
  std::array<KernelVariant, kBuilt> variants{};
  std::copy_n(kMatrixRowVariants.begin() + kFirst, kBuilt, variants.begin());
  // NVIDIA's code is for an architecture and what comes after it; twins are for the lanes.
  for (KernelVariant& variant : variants)
    if (kOfCuda) {
      variant.min_arch = 75;
      variant.chips = nullptr;
    }
  return variants;
}();
/// Of any of them.
constexpr unsigned kBuiltDtypes = [] {
  unsigned dtypes = 0;
  for (const KernelVariant& variant : kBuiltVariants) dtypes |= variant.dtypes;
  return dtypes;
}();

const MatrixTile& tile_of(int index) {
  return kMatrixRowTiles[kFirst + static_cast<size_t>(index)];
}

int resident_blocks(int index, const RowWork&) {
  return gpu::device_has(tile_of(index).cores) ? 2 : 0;  // by its launch bounds
}

}  // namespace

void launch_matrix_rows(int index, Dtype dtype, const GatherGemmParams& params,
                        const gpu::Stream& stream) {
  const int tile = static_cast<int>(kFirst) + index;
  // Of fprop alone.
  if (dtype == Dtype::i8) return launch_matrix_rows_of<gpu::I8, false>(tile, params, stream);
  if (dtype == Dtype::i8_f32)
    return launch_matrix_rows_of<gpu::I8ToF32, false>(tile, params, stream);
  const bool transposed = params.weight_k_pitch != 1;
  const auto launch = [&]<class E>(E) {
    if constexpr ((kBuiltDtypes & dtype_bit(E::dtype)) != 0) {
      const auto of = transposed ? launch_matrix_rows_of<E, true> : launch_matrix_rows_of<E, false>;
      of(tile, params, stream);
    } else {
      no_instance(tile_of(index).name, dtype);
    }
  };
  if (dtype == Dtype::f32) return launch(gpu::F32{});
  if (dtype == Dtype::tf32) return launch(gpu::TF32{});
  gpu::dispatch_halves("the kernel on matrix cores", dtype, launch);
}

RowFamily matrix_row_family() {
  return {
      .variants = kBuiltVariants,
      .resident_blocks = resident_blocks,
      .launch = launch_matrix_rows,
      .mma_depth = products_of_instruction,
      .flushes_subnormals =
          [](int index, Dtype dtype) { return gpu::flush_subnormals(tile_of(index).cores, dtype); },
      // Nothing was measured; no choice rests on it.
      .macs_per_us = [](Dtype) { return 0.01; },
      .takes_groups = true,
      .unsupported_reason = kNeedsMatrixCores};
}

}  // namespace spb::plans
