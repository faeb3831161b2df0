// SPDX-License-Identifier: Apache-2.0
#include "kernels/gather_gemm/weights.h"

#include "gpu/element.cuh"
#include "gpu/launch.cuh"
#include "kernels/common/row_copies.h"
#include "kernels/tiling.h"

namespace spb::plans {
namespace {

constexpr int kTile = 32, kRows = 8;  // a block of kRows x kTile threads moves kTile x kTile

__device__ float prepared(float weight) { return gpu::TF32::load(weight); }
__device__ uint8_t prepared(uint8_t weight) { return weight; }

/// [depth, kernel volume, columns] to [columns, kernel volume, depth]. Grid: x = tiles of depth and
/// columns, y = offsets.
template <class T>
GPU_KERNEL void turn_kernel(const T* in, int depth, int columns, T* out) {
  __shared__ T tile[kTile][kTile + 1];  // one more, so that a column's rows lie in other banks
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
      out[((n0 + row) * int64_t{volume} + offset) * depth + k0 + x] = prepared(tile[x][row]);
}

template <class T>
void turn(const T* weights, const WeightShape& shape, T* to, const gpu::Stream& stream) {
  const auto tiles = tiles_of(shape.depth, kTile) * tiles_of(shape.columns, kTile);
  gpu::launch(turn_kernel<T>,
              dim3(static_cast<unsigned>(tiles), static_cast<unsigned>(shape.kernel_volume)),
              dim3(kTile * kRows), 0, stream, weights, shape.depth, shape.columns, to);
}

}  // namespace

void prepare_tf32_weights(const GatherGemmParams& params, const gpu::Stream& stream) {
  const auto* weights = static_cast<const float*>(params.weights);
  if (params.weight_k_pitch == 1) {
    const int64_t count = int64_t{params.kernel_volume} * params.k * params.n;
    round_tf32(weights, count, params.prepared, stream);
    return;
  }
  turn(weights, {params.k, params.kernel_volume, params.n}, params.prepared, stream);
}

void turn_byte_weights(const void* weights, const WeightShape& shape, std::byte* to,
                       const gpu::Stream& stream) {
  turn(static_cast<const uint8_t*>(weights), shape, reinterpret_cast<uint8_t*>(to), stream);
}

}  // namespace spb::plans
