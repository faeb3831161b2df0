// SPDX-License-Identifier: Apache-2.0
// What a halo's rows are multiplied by on Hopper: wgmma of a group's 64 rows, A from registers.
// CUDA only.
#pragma once

#include "gpu/element.cuh"
#include "gpu/mma/sm90.cuh"
#include "kernels/gather_gemm/halo/kernel.cuh"

namespace spb::plans {

/// E: gpu::F16 or gpu::BF16.
template <class E, bool Transposed>
struct WgmmaHaloSums {
  using Element = E;
  static constexpr bool kTransposed = Transposed;
  static constexpr int kTileN = 32, kTileK = 32, kRowTiles = 1;
  static constexpr int kBlocks = kHaloRowTiles[0].blocks;

  /// Once: wgmma reads nothing but the weights from shared memory, and these stay. The halo goes
  /// through ldmatrix.
  static __device__ void weights_are_there() { gpu::sm90::fence_for_multiply(); }

  /// Adds an entry of a group to the sums of its four warps: m64n32k16 twice. `matrix`(): where the
  /// weights of its offset lie.
  template <class Matrix>
  static __device__ __forceinline__ void add(HaloAccumulators (&accumulators)[1],
                                             HaloLocals<1>& locals, uint32_t halo, Matrix matrix) {
    constexpr int kInstructions = kTileK / 16;
    constexpr int kStepB = Transposed ? 16 * HaloPlaces::kRowBytes : 32;
    const uint32_t k_half = threadIdx.x % 32 / 16;  // of the 16 channels of an instruction
    // Of chunk k_half; chunk k_half + 2 k lies at an xor of it.
    const uint32_t a = HaloPlaces::row(halo, locals.value[0], k_half);
    uint32_t words[kInstructions][4];  // (64, 16) each of the group
#pragma unroll
    for (int k = 0; k < kInstructions; ++k) gpu::sm80::load_matrices(words[k], a ^ (k << 5));
    locals.next();
    const uint32_t b = matrix();
#pragma unroll
    for (int k = 0; k < kInstructions; ++k) gpu::sm90::pin(words[k]);
    gpu::sm90::pin(accumulators[0]);
    gpu::sm90::begin_multiplies();
#pragma unroll
    for (int k = 0; k < kInstructions; ++k)
      gpu::sm90::MultiplyRegisters<E::dtype == Dtype::bf16, kTileN, Transposed>::step(
          accumulators[0], words[k], gpu::sm90::narrow_matrix_descriptor(b + k * kStepB));
    gpu::sm90::commit_multiplies();
    gpu::sm90::wait_multiplies<0>();
    gpu::sm90::pin(accumulators[0]);
  }
};

}  // namespace spb::plans
