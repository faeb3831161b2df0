// SPDX-License-Identifier: Apache-2.0
// Defines the portable wgrad launches of one element type; included by generated files alone.
#pragma once

#include "kernels/tiling.h"
#include "kernels/wgrad/portable/kernel.cuh"
#include "kernels/wgrad/tiles.h"

namespace spb::plans {

template <class E, class Tile>
void launch_wgrad_tile(const WgradParams& params, const gpu::Stream& stream) {
  gpu::launch(wgrad_kernel<E, Tile>, dim3(static_cast<unsigned>(params.blocks)),
              dim3(Tile::kThreads), 0, stream, params);
  launch_wgrad_sums<E, Tile>(params, stream);
}

template <class E>
void launch_portable_wgrad_of(const WgradParams& params, const gpu::Stream& stream) {
  using Small = FmaTile<32, 32, 32, 4, 8>;
  using Large = FmaTile<64, 64, 32, 8, 8>;
  static_assert(has_shape<Small>(kWgradTiles[kPortable32].variant) &&
                has_shape<Large>(kWgradTiles[kPortable64].variant));
  if (params.tile == kPortable32)
    launch_wgrad_tile<E, Small>(params, stream);
  else
    launch_wgrad_tile<E, Large>(params, stream);
}

}  // namespace spb::plans

#define SPB_INSTANCE(E) \
  template void launch_portable_wgrad_of<gpu::E>(const WgradParams&, const gpu::Stream&);
