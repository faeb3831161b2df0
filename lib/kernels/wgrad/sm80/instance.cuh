// SPDX-License-Identifier: Apache-2.0
// Defines the wgrad launches for sm_80 and newer; included by generated files alone. CUDA only.
#pragma once

#include <iterator>
#include <utility>

#include "gpu/mma/atoms_sm80.cuh"
#include "kernels/wgrad/sm80/kernel.cuh"
#include "kernels/wgrad/sm80/sm80.h"
#include "kernels/wgrad/tiles.h"
#include "kernels/wgrad/wgmma/wgmma.h"

namespace spb::plans {

template <class E, int Index>
struct WgradTileOf {
  static constexpr WgradTile kRow = kWgradTiles[Index];
  static constexpr KernelVariant kShape = kRow.variant;
  using Type = WgradMma<typename gpu::sm80::AtomOf<E>::Type, kRow.warps_m, kRow.warps_n,
                        kShape.tile_m / kRow.warps_m, kShape.tile_n / kRow.warps_n, kShape.tile_k,
                        kShape.stages, kRow.blocks>;
};
template <int Index>
struct WgradTileOf<gpu::F32, Index> {
  static constexpr WgradTile kRow = kWgradTiles[Index];
  using Type =
      WgradFma<kRow.warps_m, kRow.warps_n, kRow.variant.tile_k, kRow.variant.stages, kRow.blocks>;
};

/// Launches the tile of the index if that is the one asked for.
template <class E, int Index>
bool launch_wgrad_if(const WgradParams& params, const gpu::Stream& stream) {
  constexpr const KernelVariant& variant = kWgradTiles[Index].variant;
  if constexpr (variant.min_arch != 80 || kWgradTiles[Index].halos ||
                (variant.dtypes & dtype_bit(E::dtype)) == 0) {
    return false;
  } else {
    using Tile = typename WgradTileOf<E, Index>::Type;
    constexpr bool kAligned = variant.channel_multiple > 1;  // rows begin at multiples of 16 bytes
    constexpr int kSlots = kWgradTiles[Index].slots;
    constexpr int kSharedBytes = WgradLoader<E, Tile, kAligned, kSlots>::kSharedBytes;
    static_assert(has_shape_of<Tile>(kWgradTiles[Index]));
    static_assert(wgrad_shared_bytes(kWgradTiles[Index]) == kSharedBytes);
    if (params.tile != Index) return false;
    gpu::launch_early(wgrad_sm80_kernel<E, Tile, kAligned, kSlots>,
                      dim3(static_cast<unsigned>(params.blocks)), dim3(Tile::kThreads),
                      kSharedBytes, stream, params);
    launch_wgrad_sums<E, Tile, kSlots>(params, stream, /*early=*/true);
    return true;
  }
}

/// Throws Error (runtime) where no tile of the element is asked for.
template <class E>
void launch_wgrad_sm80_of(const WgradParams& params, const gpu::Stream& stream) {
  bool launched = [&]<int... Index>(std::integer_sequence<int, Index...>) {
    return (launch_wgrad_if<E, Index>(params, stream) || ...);
  }
  (std::make_integer_sequence<int, int{std::size(kWgradTiles)}>());
  if constexpr (sizeof(typename E::Storage) == 2 || gpu::is_tf32<E>)
    launched = launched || launch_wgrad_wgmma_of<E>(params, stream);
  if (!launched) no_instance(kWgradTiles[params.tile].variant.name, E::dtype);
}

}  // namespace spb::plans

#define SPB_INSTANCE(E) \
  template void launch_wgrad_sm80_of<gpu::E>(const WgradParams&, const gpu::Stream&);
