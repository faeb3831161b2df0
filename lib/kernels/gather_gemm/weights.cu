// SPDX-License-Identifier: Apache-2.0
#include "kernels/gather_gemm/weights.h"

#include <algorithm>

#include "gpu/element.cuh"
#include "gpu/launch.cuh"
#include "gpu/tf32x3.cuh"
#include "kernels/common/row_copies.h"
#include "kernels/tiling.h"

namespace spb::plans {
namespace {

constexpr int kTile = 32, kRows = 8;  // a block of kRows x kTile threads moves kTile x kTile

/// What is prepared of a weight: one float of tf32; of 3xtf32 its two parts, `pitch` apart.
template <class E>
__device__ void write_prepared(float weight, int64_t pitch, float* to) {
  if constexpr (E::dtype == Dtype::tf32x3) {
    const gpu::Tf32Parts parts = gpu::split_tf32x3(weight);
    to[0] = parts.high;
    to[pitch] = parts.low;
  } else {
    to[0] = E::load(weight);
  }
}
template <class E>
inline constexpr int kPreparedParts = prepared_floats(E::dtype);

/// fp32 weights [depth, kernel volume, columns] to [columns, parts, kernel volume, depth].
/// Grid: x = tiles of depth and columns, y = offsets.
template <class E>
GPU_KERNEL void turn_kernel(const float* in, int depth, int columns, float* out) {
  __shared__ float tile[kTile][kTile + 1];  // one more, so that a column's rows lie in other banks
  const int tiles = (columns + kTile - 1) / kTile, volume = static_cast<int>(gridDim.y);
  const int k0 = static_cast<int>(blockIdx.x) / tiles * kTile;
  const int n0 = static_cast<int>(blockIdx.x) % tiles * kTile;
  const int x = static_cast<int>(threadIdx.x) % kTile, y = static_cast<int>(threadIdx.x) / kTile;
  const int64_t offset = blockIdx.y, part_pitch = int64_t{volume} * depth;
  for (int row = y; row < kTile; row += kRows)
    if (k0 + row < depth && n0 + x < columns)
      tile[row][x] = in[((k0 + row) * int64_t{volume} + offset) * columns + n0 + x];
  gpu::sync_threads();
  for (int row = y; row < kTile; row += kRows)
    if (n0 + row < columns && k0 + x < depth)
      write_prepared<E>(
          tile[x][row], part_pitch,
          out + (n0 + row) * kPreparedParts<E> * part_pitch + offset * depth + k0 + x);
}

/// fp32 weights [columns, column_weights] to the parts of 3xtf32 [columns, parts, column_weights].
/// Grid: x = weights of a column, y = columns, which take turns.
GPU_KERNEL void split_kernel(const float* in, int64_t column_weights, int columns, float* out) {
  const int64_t i = gpu::global_index();
  if (i >= column_weights) return;
  for (int64_t n = blockIdx.y; n < columns; n += gridDim.y)
    write_prepared<gpu::TF32x3>(in[n * column_weights + i], column_weights,
                                out + n * kPreparedParts<gpu::TF32x3> * column_weights + i);
}

constexpr int kWordBytes = 4, kByteRows = 8;

/// The same of bytes, of which depth and columns have whole words: a block of Tile / 4 x kByteRows
/// threads moves Tile x Tile, a thread 4 x 4 at a time. Words of a row of the tile change places by
/// row / 4, so that those of rows four apart, as neighboring threads read them, lie in banks of
/// their own, and of small tiles four in a bank.
template <int Tile>
GPU_KERNEL void turn_bytes_kernel(const uint32_t* in, int depth, int columns, uint32_t* out) {
  constexpr int kTileWords = Tile / kWordBytes;
  __shared__ uint32_t tile[Tile][kTileWords];
  const int tiles = (columns + Tile - 1) / Tile, volume = static_cast<int>(gridDim.y);
  const int k0 = static_cast<int>(blockIdx.x) / tiles * Tile;
  const int n0 = static_cast<int>(blockIdx.x) % tiles * Tile;
  const int x = static_cast<int>(threadIdx.x) % kTileWords,
            y = static_cast<int>(threadIdx.x) / kTileWords;
  const int64_t offset = blockIdx.y;
  GPU_UNROLL
  for (int pass = 0; pass < Tile / kByteRows; ++pass) {
    const int row = pass * kByteRows + y;
    if (k0 + row < depth && n0 + x * kWordBytes < columns)
      tile[row][x ^ row / kWordBytes] =
          in[(((k0 + row) * int64_t{volume} + offset) * columns + n0) / kWordBytes + x];
  }
  gpu::sync_threads();
  const int k = k0 + x * kWordBytes;
  if (k >= depth) return;
  GPU_UNROLL
  for (int pass = 0; pass < kTileWords / kByteRows; ++pass) {
    const int word = pass * kByteRows + y;
    if (n0 + word * kWordBytes >= columns) continue;
    uint32_t rows[kWordBytes];
    GPU_UNROLL
    for (int r = 0; r < kWordBytes; ++r) rows[r] = tile[x * kWordBytes + r][word ^ x];
    GPU_UNROLL
    for (int column = 0; column < kWordBytes; ++column) {
      uint32_t turned = 0;
      GPU_UNROLL
      for (int r = 0; r < kWordBytes; ++r) turned |= (rows[r] >> 8 * column & 0xFF) << 8 * r;
      const int n = n0 + word * kWordBytes + column;
      out[((n * int64_t{volume} + offset) * depth + k) / kWordBytes] = turned;
    }
  }
}

dim3 grid_of(const WeightShape& shape, int tile) {
  const auto tiles = tiles_of(shape.depth, tile) * tiles_of(shape.columns, tile);
  return {static_cast<unsigned>(tiles), static_cast<unsigned>(shape.kernel_volume)};
}

}  // namespace

void prepare_weights(Dtype dtype, const GatherGemmParams& params, const gpu::Stream& stream) {
  const auto* weights = static_cast<const float*>(params.weights);
  const bool parts = dtype == Dtype::tf32x3;
  const int64_t column_weights = int64_t{params.kernel_volume} * params.k;
  if (params.weight_k_pitch == 1 && parts) {
    constexpr int kThreads = 256;
    constexpr int kMostColumns = 65535;  // of a grid's y
    const dim3 grid(static_cast<unsigned>(tiles_of(column_weights, kThreads)),
                    static_cast<unsigned>(std::min(params.n, kMostColumns)));
    gpu::launch(split_kernel, grid, dim3(kThreads), 0, stream, weights, column_weights, params.n,
                params.prepared);
  } else if (params.weight_k_pitch == 1) {
    round_tf32(weights, column_weights * params.n, params.prepared, stream);
  } else {
    gpu::launch(parts ? turn_kernel<gpu::TF32x3> : turn_kernel<gpu::TF32>,
                grid_of({params.k, params.kernel_volume, params.n}, kTile), dim3(kTile * kRows), 0,
                stream, weights, params.k, params.n, params.prepared);
  }
}

void turn_byte_weights(const void* weights, const WeightShape& shape, std::byte* to,
                       const gpu::Stream& stream) {
  // Large tiles read and write whole lines of a cache; of few weights they are too few blocks.
  constexpr int kLarge = 128, kSmall = 32;
  constexpr int64_t kMany = 512 * 512;
  const bool large = int64_t{shape.depth} * shape.columns >= kMany;
  const int tile = large ? kLarge : kSmall;
  gpu::launch(large ? turn_bytes_kernel<kLarge> : turn_bytes_kernel<kSmall>, grid_of(shape, tile),
              dim3(static_cast<unsigned>(tile / kWordBytes * kByteRows)), 0, stream,
              static_cast<const uint32_t*>(weights), shape.depth, shape.columns,
              reinterpret_cast<uint32_t*>(to));
}

}  // namespace spb::plans
