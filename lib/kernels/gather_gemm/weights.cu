// SPDX-License-Identifier: Apache-2.0
#include "kernels/gather_gemm/weights.h"

#include <algorithm>

#include "gpu/element.cuh"
#include "gpu/launch.cuh"
#include "gpu/tf32x3.cuh"
#include "kernels/common/elements.cuh"
#include "kernels/tiling.h"

namespace spb::plans {
namespace {

/// What is prepared of a weight: one float of tf32; of 3xtf32 its two parts.
template <class E>
struct Prepared {
  static constexpr int kFloats = tf32_parts(E::dtype);
  float at[kFloats];
};
template <class E>
__device__ Prepared<E> prepared(float weight) {
  if constexpr (E::dtype == Dtype::tf32x3) {
    const gpu::Tf32Parts parts = gpu::split_tf32x3(weight);
    return {{parts.high, parts.low}};
  } else {
    return {{E::load(weight)}};
  }
}

/// fp32 weights [columns, column_weights], in order of depth already, to [columns, parts,
/// column_weights]. Grid: x = weights of a column, Width at a time, y = columns, in turns.
template <class E, int Width>
GPU_KERNEL void prepare_kernel(const float* in, int64_t column_weights, int columns, float* out) {
  using Words = Elements<float, Width>;
  constexpr int kFloats = Prepared<E>::kFloats;
  const int64_t i = gpu::global_index(), words = column_weights / Width;
  if (i >= words) return;
  for (int64_t n = blockIdx.y; n < columns; n += gridDim.y) {
    const Words weights = reinterpret_cast<const Words*>(in)[n * words + i];
    Words parts[kFloats];
    GPU_UNROLL
    for (int w = 0; w < Width; ++w) {
      const Prepared<E> made = prepared<E>(weights.at[w]);
      for (int part = 0; part < kFloats; ++part) parts[part].at[w] = made.at[part];
    }
    for (int part = 0; part < kFloats; ++part)
      reinterpret_cast<Words*>(out)[(n * kFloats + part) * words + i] = parts[part];
  }
}

/// Beyond a grid's y, offsets take its z. (A kernel that found tile and offset by division of x,
/// and an element's place by multiplications, made dgrad of 16,1024 in tf32 4 % slower.)
constexpr int kMostOffsetsOfY = 65535;
__device__ int64_t turned_offset() { return int64_t{blockIdx.z} * gridDim.y + blockIdx.y; }

// A thread turns kFour x kFour in its registers. Eight threads read 128 bytes of a row of columns,
// and the four of each column write 64 of it, which other warps of the block go on.
constexpr int kFour = 4, kFourColumns = 8, kFourThreads = 256;
constexpr int kTurnedColumns = kFourColumns * kFour;
constexpr int kTurnedDepth = kFourThreads / kFourColumns * kFour;

/// fp32 weights [depth, kernel volume, columns] to [columns, parts, kernel volume, depth], Width
/// read at a time. Grid: x = tiles of depth and columns, y and z = offsets.
template <class E, int Width>
GPU_KERNEL void turn_kernel(const float* in, WeightShape shape, float* out) {
  using Read = Elements<float, Width>;
  using Words = Elements<float, kFour>;
  constexpr int kFloats = Prepared<E>::kFloats;
  const auto [depth, volume, columns] = shape;
  const int64_t offset = turned_offset();
  const int tiles = (columns + kTurnedColumns - 1) / kTurnedColumns;
  const int thread = static_cast<int>(threadIdx.x), tile = static_cast<int>(blockIdx.x);
  const int k = tile / tiles * kTurnedDepth + thread / kFourColumns * kFour;
  const int n = tile % tiles * kTurnedColumns + thread % kFourColumns * kFour;
  if (offset >= volume || k >= depth || n >= columns) return;
  float rows[kFour][kFour];
  GPU_UNROLL
  for (int r = 0; r < kFour; ++r) {
    const float* from = in + ((k + r) * int64_t{volume} + offset) * columns + n;
    GPU_UNROLL
    for (int i = 0; i < kFour; i += Width) {
      const Read read = *reinterpret_cast<const Read*>(from + i);
      for (int w = 0; w < Width; ++w) rows[r][i + w] = read.at[w];
    }
  }
  const int64_t part_pitch = int64_t{volume} * depth;
  GPU_UNROLL
  for (int column = 0; column < kFour; ++column) {
    Words parts[kFloats];
    GPU_UNROLL
    for (int r = 0; r < kFour; ++r) {
      const Prepared<E> made = prepared<E>(rows[r][column]);
      for (int part = 0; part < kFloats; ++part) parts[part].at[r] = made.at[part];
    }
    float* to = out + (n + column) * kFloats * part_pitch + offset * depth + k;
    for (int part = 0; part < kFloats; ++part)
      *reinterpret_cast<Words*>(to + part * part_pitch) = parts[part];
  }
}

constexpr int kWordBytes = 4, kByteRows = 8;

/// The same of bytes, of which depth and columns have whole words: a block of Tile / 4 x kByteRows
/// threads moves Tile x Tile, a thread 4 x 4 at a time. Words of a row of the tile change places by
/// row / 4, so that those of rows four apart, as neighboring threads read them, lie in banks of
/// their own, and of small tiles four in a bank.
template <int Tile>
GPU_KERNEL void turn_bytes_kernel(const uint32_t* in, WeightShape shape, uint32_t* out) {
  constexpr int kTileWords = Tile / kWordBytes;
  __shared__ uint32_t tile[Tile][kTileWords];
  const auto [depth, volume, columns] = shape;
  const int64_t offset = turned_offset();
  if (offset >= volume) return;
  const int tiles = (columns + Tile - 1) / Tile;
  const int k0 = static_cast<int>(blockIdx.x) / tiles * Tile;
  const int n0 = static_cast<int>(blockIdx.x) % tiles * Tile;
  const int x = static_cast<int>(threadIdx.x) % kTileWords,
            y = static_cast<int>(threadIdx.x) / kTileWords;
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

dim3 grid_of(const WeightShape& shape, int tile_depth, int tile_columns) {
  const int64_t tiles = tiles_of(shape.depth, tile_depth) * tiles_of(shape.columns, tile_columns);
  const int of_y = std::min(shape.kernel_volume, kMostOffsetsOfY);
  return {static_cast<unsigned>(tiles), static_cast<unsigned>(of_y),
          static_cast<unsigned>(tiles_of(shape.kernel_volume, of_y))};
}

template <class E>
void prepare(const GatherGemmParams& params, const gpu::Stream& stream) {
  const auto* weights = static_cast<const float*>(params.weights);
  const WeightShape shape{params.k, params.kernel_volume, params.n};
  if (params.weight_k_pitch != 1)
    return with_width<float>(params.n, {weights}, [&]<int Width>() {
      gpu::launch(turn_kernel<E, Width>, grid_of(shape, kTurnedDepth, kTurnedColumns),
                  dim3(kFourThreads), 0, stream, weights, shape, params.prepared);
    });
  with_width<float>(params.k, {weights, params.prepared}, [&]<int Width>() {
    constexpr int kThreads = 256;
    constexpr int kMostColumns = 65535;  // of a grid's y
    const int64_t column_weights = int64_t{params.kernel_volume} * params.k;
    const dim3 grid(static_cast<unsigned>(tiles_of(column_weights, kThreads * Width)),
                    static_cast<unsigned>(std::min(params.n, kMostColumns)));
    gpu::launch(prepare_kernel<E, Width>, grid, dim3(kThreads), 0, stream, weights, column_weights,
                params.n, params.prepared);
  });
}

}  // namespace

void prepare_weights(Dtype dtype, const GatherGemmParams& params, const gpu::Stream& stream) {
  if (dtype == Dtype::tf32x3)
    prepare<gpu::TF32x3>(params, stream);
  else
    prepare<gpu::TF32>(params, stream);
}

void turn_byte_weights(const void* weights, const WeightShape& shape, std::byte* to,
                       const gpu::Stream& stream) {
  // Large tiles read and write whole lines of a cache; of few weights they are too few blocks.
  constexpr int kLarge = 128, kSmall = 32;
  constexpr int64_t kMany = 512 * 512;
  const bool large = int64_t{shape.depth} * shape.columns >= kMany;
  const int tile = large ? kLarge : kSmall;
  gpu::launch(large ? turn_bytes_kernel<kLarge> : turn_bytes_kernel<kSmall>,
              grid_of(shape, tile, tile),
              dim3(static_cast<unsigned>(tile / kWordBytes * kByteRows)), 0, stream,
              static_cast<const uint32_t*>(weights), shape, reinterpret_cast<uint32_t*>(to));
}

}  // namespace spb::plans
