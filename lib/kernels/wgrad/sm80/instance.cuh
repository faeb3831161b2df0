// SPDX-License-Identifier: Apache-2.0
// Defines the wgrad launches for sm_80 and newer; included by generated files alone. CUDA only.
#pragma once

#include "gpu/mma/atoms_sm80.cuh"
#include "kernels/wgrad/sm80/kernel.cuh"
#include "kernels/wgrad/tiles.h"
#include "kernels/wgrad/wgmma/wgmma.h"

namespace spb::plans {

/// Launches a Tile if that is the one asked for. With Aligned, rows begin at multiples of 16 bytes.
template <class E, int Index, bool Aligned, class Tile>
bool launch_wgrad_if(const WgradParams& params, const gpu::Stream& stream) {
  constexpr int kSharedBytes = WgradLoader<E, Tile, Aligned>::kSharedBytes;
  static_assert(has_shape_of<Tile>(kWgradTiles[Index]));
  static_assert(wgrad_shared_bytes(kWgradTiles[Index]) == kSharedBytes);
  if (params.tile != Index) return false;
  gpu::launch(wgrad_sm80_kernel<E, Tile, Aligned>, dim3(static_cast<unsigned>(params.blocks)),
              dim3(Tile::kThreads), kSharedBytes, stream, params);
  launch_wgrad_sums<E, Tile>(params, stream);
  return true;
}

/// Ends a chain of launch_wgrad_if(): throws Error (runtime).
template <class E>
bool has_no_wgrad(const WgradParams& params) {
  no_instance(kWgradTiles[params.tile].variant.name, E::dtype);
}

// Template arguments: warps (rows by columns), sums of a warp, TileK, stages, blocks.
template <class E, class Atom = typename gpu::sm80::AtomOf<E>::Type>
void launch_wgrad_halves(const WgradParams& params, const gpu::Stream& stream) {
  launch_wgrad_if<E, kHalf128x256, true, WgradMma<Atom, 2, 4, 64, 64, 32, 5, 1>>(params, stream) ||
      launch_wgrad_if<E, kHalf128x128, true, WgradMma<Atom, 2, 2, 64, 64, 32, 4, 2>>(params,
                                                                                     stream) ||
      launch_wgrad_if<E, kHalf128x64, true, WgradMma<Atom, 2, 2, 64, 32, 32, 4, 3>>(params,
                                                                                    stream) ||
      launch_wgrad_if<E, kHalf64x128, true, WgradMma<Atom, 2, 2, 32, 64, 32, 4, 3>>(params,
                                                                                    stream) ||
      launch_wgrad_if<E, kHalf64x64, true, WgradMma<Atom, 2, 2, 32, 32, 64, 3, 3>>(params,
                                                                                   stream) ||
      launch_wgrad_if<E, kHalf32x32, true, WgradMma<Atom, 1, 1, 32, 32, 32, 4, 10>>(params,
                                                                                    stream) ||
      launch_wgrad_if<E, kHalfAny, false, WgradMma<Atom, 2, 1, 32, 64, 32, 4, 4>>(params, stream) ||
      launch_wgrad_wgmma_of<E>(params, stream) || has_no_wgrad<E>(params);
}

template <class E, class Atom = typename gpu::sm80::AtomOf<E>::Type>
void launch_wgrad_tf32(const WgradParams& params, const gpu::Stream& stream) {
  launch_wgrad_if<E, kTf128x256, true, WgradMma<Atom, 2, 4, 64, 64, 32, 4, 1>>(params, stream) ||
      launch_wgrad_if<E, kTf128x128, true, WgradMma<Atom, 2, 4, 64, 32, 32, 4, 1>>(params,
                                                                                   stream) ||
      launch_wgrad_if<E, kTf128x64, true, WgradMma<Atom, 2, 2, 64, 32, 16, 4, 2>>(params, stream) ||
      launch_wgrad_if<E, kTf64x64, true, WgradMma<Atom, 2, 2, 32, 32, 32, 3, 3>>(params, stream) ||
      launch_wgrad_if<E, kTf32x32, true, WgradMma<Atom, 1, 1, 32, 32, 32, 4, 5>>(params, stream) ||
      launch_wgrad_if<E, kTfAny, false, WgradMma<Atom, 2, 2, 32, 32, 32, 4, 2>>(params, stream) ||
      has_no_wgrad<E>(params);
}

template <class E, class Atom = typename gpu::sm80::AtomOf<E>::Type>
void launch_wgrad_tf32x3(const WgradParams& params, const gpu::Stream& stream) {
  launch_wgrad_if<E, k3xTf128x128, true, WgradMma<Atom, 2, 4, 64, 32, 32, 4, 1>>(params, stream) ||
      launch_wgrad_if<E, k3xTf64x64, true, WgradMma<Atom, 2, 2, 32, 32, 32, 3, 3>>(params,
                                                                                   stream) ||
      launch_wgrad_if<E, k3xTfAny, false, WgradMma<Atom, 2, 2, 32, 32, 32, 4, 2>>(params, stream) ||
      has_no_wgrad<E>(params);
}

template <class E>
void launch_wgrad_fma(const WgradParams& params, const gpu::Stream& stream) {
  launch_wgrad_if<E, kFma128x128, true, WgradFma<4, 2, 32, 3, 1>>(params, stream) ||
      launch_wgrad_if<E, kFma64x64, true, WgradFma<2, 1, 32, 4, 3>>(params, stream) ||
      launch_wgrad_if<E, kFmaAny, false, WgradFma<2, 1, 32, 4, 3>>(params, stream) ||
      has_no_wgrad<E>(params);
}

template <class E>
void launch_wgrad_sm80_of(const WgradParams& params, const gpu::Stream& stream) {
  if constexpr (E::dtype == Dtype::f32)
    launch_wgrad_fma<E>(params, stream);
  else if constexpr (E::dtype == Dtype::tf32)
    launch_wgrad_tf32<E>(params, stream);
  else if constexpr (E::dtype == Dtype::tf32x3)
    launch_wgrad_tf32x3<E>(params, stream);
  else
    launch_wgrad_halves<E>(params, stream);
}

}  // namespace spb::plans

#define SPB_INSTANCE(E) \
  template void launch_wgrad_sm80_of<gpu::E>(const WgradParams&, const gpu::Stream&);
