// Defines the wgrad launches of one element type; included by the instance files alone.
#pragma once

#include "algorithms/implicit/tiling.h"
#include "algorithms/implicit/wgrad_kernel.cuh"
#include "algorithms/implicit/wgrad_pass.h"
#include "algorithms/implicit/wgrad_tiles.h"
#include "gpu/mma/mma_fma.cuh"

namespace spb::plans {

template <class E, class Mma, class Pairs>
void launch_wgrad_tile(const WgradPass& pass, const Pairs& pairs, const gpu::Stream& stream) {
  const int64_t tiles =
      pass.kernel_volume * tiles_of(pass.c_out, Mma::kTileM) * tiles_of(pass.c_in, Mma::kTileN);
  const dim3 grid(static_cast<unsigned>(tiles), static_cast<unsigned>(pass.split));
  gpu::launch(wgrad_kernel<E, Mma, Pairs>, grid, dim3(Mma::kThreads), 0, stream, pass, pairs);
}

template <class E>
void launch_wgrad_pass_of(const WgradPass& pass, const gpu::Stream& stream) {
  using Small = gpu::MmaFma<32, 32, 32, 4, 8>;
  using Large = gpu::MmaFma<64, 64, 32, 8, 8>;
  static_assert(has_shape<Small>(kWgradTiles[0]) && has_shape<Large>(kWgradTiles[1]));
  const auto with_pairs = [&](const auto& pairs) {
    if (pass.tile == 0)
      launch_wgrad_tile<E, Small>(pass, pairs, stream);
    else
      launch_wgrad_tile<E, Large>(pass, pairs, stream);
  };
  if (pass.offset_begin)
    with_pairs(ListedPairs{pass.in_index, pass.out_index, pass.offset_begin});
  else
    with_pairs(AllRows{pass.map, pass.n_out, pass.kernel_volume});
}

}  // namespace spb::plans
