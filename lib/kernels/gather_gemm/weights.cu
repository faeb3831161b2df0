// SPDX-License-Identifier: Apache-2.0
#include "kernels/gather_gemm/weights.h"

#include "gpu/element.cuh"
#include "gpu/launch.cuh"
#include "kernels/common/row_copies.h"
#include "kernels/tiling.h"

namespace spb::plans {
namespace {

constexpr int kTile = 32, kRows = 8;  // a block of kRows x kTile threads moves kTile x kTile

/// [depth, kernel volume, columns] to [columns, kernel volume, depth]. Grid: x = tiles of depth and
/// columns, y = offsets.
GPU_KERNEL void round_transposed_kernel(const float* in, int depth, int columns, float* out) {
  __shared__ float tile[kTile][kTile + 1];  // one more, so that a column's rows lie in other banks
  const int tiles = (columns + kTile - 1) / kTile, volume = static_cast<int>(gridDim.y);
  const int k0 = static_cast<int>(blockIdx.x) / tiles * kTile;
  const int n0 = static_cast<int>(blockIdx.x) % tiles * kTile;
  const int x = static_cast<int>(threadIdx.x) % kTile, y = static_cast<int>(threadIdx.x) / kTile;
  const int64_t offset = blockIdx.y;
  for (int row = y; row < kTile; row += kRows)
    if (k0 + row < depth && n0 + x < columns)
      tile[row][x] = in[((k0 + row) * int64_t{volume} + offset) * columns + n0 + x];
  gpu::sync_threads();
  for (int row = y; row < kTile; row += kRows)
    if (n0 + row < columns && k0 + x < depth)
      out[((n0 + row) * int64_t{volume} + offset) * depth + k0 + x] = gpu::TF32::load(tile[x][row]);
}

}  // namespace

void prepare_tf32_weights(const GatherGemmParams& params, const gpu::Stream& stream) {
  const auto* weights = static_cast<const float*>(params.weights);
  if (params.weight_k_pitch == 1) {
    const int64_t count = int64_t{params.kernel_volume} * params.k * params.n;
    round_tf32(weights, count, params.prepared, stream);
    return;
  }
  const auto tiles = tiles_of(params.k, kTile) * tiles_of(params.n, kTile);
  gpu::launch(round_transposed_kernel,
              dim3(static_cast<unsigned>(tiles), static_cast<unsigned>(params.kernel_volume)),
              dim3(kTile * kRows), 0, stream, weights, params.k, params.n, params.prepared);
}

}  // namespace spb::plans
