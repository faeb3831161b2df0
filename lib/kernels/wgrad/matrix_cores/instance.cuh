// SPDX-License-Identifier: Apache-2.0
// Defines the launches of wgrad on AMD's matrix cores of one element type; included by generated
// files alone.
#pragma once

#include <utility>

#include "kernels/wgrad/matrix_cores/kernel.cuh"
#include "kernels/wgrad/matrix_cores/matrix_cores.h"
#include "kernels/wgrad/tiles.h"

namespace spb::plans {

template <class E, size_t Index, bool Wide>
void launch_matrix_wgrad_tile(const WgradParams& params, const gpu::Stream& stream) {
  using Parts = MatrixWgradParts<E, Index, Wide>;
  gpu::launch(matrix_wgrad_kernel<Parts>, dim3(static_cast<unsigned>(params.blocks)),
              dim3(Parts::kThreads), 0, stream, params);
  // Sums do not hang on how rows were loaded: one kernel of these.
  launch_wgrad_sums<E, MatrixWgradParts<E, Index, true>>(params, stream);
}

/// Whether rows of both operands begin at multiples of 16 bytes, and channels fill chunks.
template <class E>
bool has_whole_pairs(const WgradParams& params) {
  constexpr int kPerChunk = 16 / static_cast<int>(sizeof(typename E::Storage));
  const auto aligned = [](const void* p) { return reinterpret_cast<uintptr_t>(p) % 16 == 0; };
  // So are pitches, which are whole groups.
  return params.c_in % kPerChunk == 0 && params.c_out % kPerChunk == 0 && aligned(params.in) &&
         aligned(params.gout);
}

template <class E>
void launch_matrix_wgrad_of(const WgradParams& params, const gpu::Stream& stream) {
  const WgradTile& row = kWgradTiles[params.tile];
  bool launched = false;
  const auto launch_if = [&]<size_t Index>() {
    if constexpr ((kMatrixWgradTiles[Index].dtypes & dtype_bit(E::dtype)) != 0) {
      if (row.matrix != &kMatrixWgradTiles[Index]) return;
      launched = true;
      if (has_whole_pairs<E>(params))
        launch_matrix_wgrad_tile<E, Index, true>(params, stream);
      else
        launch_matrix_wgrad_tile<E, Index, false>(params, stream);
    }
  };
  [&]<size_t... I>(std::index_sequence<I...>) { (launch_if.template operator()<I>(), ...); }
  (std::make_index_sequence<kMatrixWgradTileCount>());
  if (!launched) no_instance(row.variant.name, E::dtype);
}

}  // namespace spb::plans

#define SPB_INSTANCE(E) \
  template void launch_matrix_wgrad_of<gpu::E>(const WgradParams&, const gpu::Stream&);
