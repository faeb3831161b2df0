// SPDX-License-Identifier: Apache-2.0
// Where the sums of a wgrad tile go: the gradient, or a slice that another kernel adds up.
//
// A tile multiply hands out its sums in groups: kGroups per thread, kGroupSize sums each, and
// writes a group with Tile::write<E>(tile, group, sums, thread).
#pragma once

#include <bit>

#include "gpu/block_size.h"
#include "gpu/element.cuh"
#include "gpu/launch.cuh"
#include "kernels/wgrad/params.h"

namespace spb::plans {

/// One tile of the gradient of one offset, or of neighboring ones, whose columns follow each other.
struct GradientTile {
  void* first;        // element (co0, first offset, ci0) of gw
  int64_t row_pitch;  // elements from one output channel to the next
  int rows, columns;  // what of the tile lies inside of the gradient
};

/// With Slots > 1, `offset` is the number of a group of so many; `group` is one of channels.
template <class E, int Slots = 1>
__device__ GradientTile gradient_tile(const WgradParams& params, int group, int offset, int tile,
                                      int tile_m, int tile_n) {
  const int first = offset * Slots, left = params.kernel_volume - first;
  const int columns = (left < Slots ? left : Slots) * params.c_in;
  const int tiles_n = (Slots * params.c_in + tile_n - 1) / tile_n;
  const int co0 = tile / tiles_n * tile_m, ci0 = tile % tiles_n * tile_n;
  const int64_t pitch = int64_t{params.kernel_volume} * params.c_in;
  return {static_cast<typename E::Storage*>(params.gw) +
              (int64_t{group} * params.c_out + co0) * pitch + int64_t{first} * params.c_in + ci0,
          pitch, params.c_out - co0, columns - ci0};
}

struct alignas(16) FourSums {
  float sum[4];
};

/// The slice's sums of a group: neighboring threads' lie side by side.
template <class Tile>
__device__ FourSums* partial_group(float* slices, int64_t slice, int group, int thread) {
  static_assert(Tile::kGroupSize % 4 == 0);
  static_assert(Tile::kGroups * Tile::kGroupSize * Tile::kThreads == Tile::kTileM * Tile::kTileN);
  return reinterpret_cast<FourSums*>(slices + slice * Tile::kTileM * Tile::kTileN) +
         group * (Tile::kGroupSize / 4) * Tile::kThreads + thread;
}

template <class Tile>
__device__ void write_partial_group(FourSums* to, const float (&accumulators)[Tile::kGroupSize]) {
  for (int i = 0; i < Tile::kGroupSize; i += 4)
    to[i / 4 * Tile::kThreads] = {
        {accumulators[i], accumulators[i + 1], accumulators[i + 2], accumulators[i + 3]}};
}

/// A group's sums to the gradient, or to a slice: -1 is none.
template <class E, class Tile>
__device__ void write_group(const WgradParams& params, const GradientTile& tile, int slice,
                            int group, const float (&sums)[Tile::kGroupSize], int thread) {
  if (slice < 0)
    Tile::template write<E>(tile, group, sums, thread);
  else
    write_partial_group<Tile>(partial_group<Tile>(params.partials, slice, group, thread), sums);
}

template <class Tile>
inline constexpr int kSumThreads = Tile::kThreads < 512 ? 512 : Tile::kThreads;

/// Parts of a unit's slices that are added up side by side: a unit of few sums has up to hundreds
/// of slices, one after the other a read's latency each. Blocks have all threads of a tile in each
/// of their parts or, where units have more slices than that makes parts on average, some threads
/// in more parts.
template <class Tile>
inline constexpr int kSumParts = kSumThreads<Tile> / Tile::kThreads;
/// Of 32 threads each: those of a tile that trade sums before they write are a warp of NVIDIA's.
template <class Tile>
inline constexpr int kMostSumParts = kSumThreads<Tile> / 32;
template <class Tile>
int sum_parts(const WgradParams& params) {
  // Of fewer, as units of 128 channels have on scans and an H200, tf32 lost 3 %, and 16 bits gained
  // on one scan of three (reports/nvidia-h200/flexgemm-mma-sync/tried.txt).
  constexpr int kManySlices = 8;
  static_assert(std::has_single_bit(unsigned{Tile::kThreads}) && Tile::kThreads >= 32);
  int parts = kSumParts<Tile>;
  if (params.slice_count < int64_t{kManySlices} * params.sum_count) return parts;
  while (parts < kMostSumParts<Tile> && int64_t{parts} * params.sum_count < params.slice_count)
    parts *= 2;
  return parts;
}

/// Grid: x = (sum, group, threads of the tile), the last fastest. Blocks: x = so many threads of
/// the tile, y = parts; without MoreParts all of a tile and kSumParts, which the compiler unrolls.
/// Adds the slices of a part in their order, then the parts in theirs.
template <class E, class Tile, int Slots, bool MoreParts>
GPU_KERNEL void GPU_BLOCK_OF(kSumThreads<Tile>) wgrad_sum_kernel(WgradParams params) {
  gpu::wait_for_earlier_kernels_alone();
  constexpr int kFours = Tile::kGroupSize / 4;  // of a thread
  __shared__ FourSums part_sums[kSumThreads<Tile> * kFours];
  const int width = MoreParts ? static_cast<int>(blockDim.x) : Tile::kThreads;
  const int parts = MoreParts ? static_cast<int>(blockDim.y) : kSumParts<Tile>;
  const int part = static_cast<int>(threadIdx.y), column = static_cast<int>(threadIdx.x);
  const int splits = Tile::kThreads / width, block = static_cast<int>(blockIdx.x);
  const int thread = block % splits * width + column;
  const int group = block / splits % Tile::kGroups;
  const WgradSum sum = params.sums[block / splits / Tile::kGroups];
  const int begin = sum.slices * part / parts, end = sum.slices * (part + 1) / parts;
  // [part][four][column], so that neighboring threads' lie side by side
  const auto part_sum = [&](int of, int four) -> FourSums& {
    return part_sums[(of * kFours + four) * width + column];
  };
  float total[Tile::kGroupSize] = {};
  const FourSums* from =
      partial_group<Tile>(params.partials, sum.first_slice + begin, group, thread);
  for (int s = begin; s < end; ++s) {
    for (int i = 0; i < Tile::kGroupSize; i += 4) {
      const FourSums four = from[i / 4 * Tile::kThreads];
      for (int j = 0; j < 4; ++j) total[i + j] += four.sum[j];
    }
    from += Tile::kTileM * Tile::kTileN / 4;
  }
  for (int i = 0; part > 0 && i < Tile::kGroupSize; i += 4)
    part_sum(part, i / 4) = {{total[i], total[i + 1], total[i + 2], total[i + 3]}};
  gpu::sync_threads();
  if (part > 0) return;
  for (int p = 1; p < parts; ++p)
    for (int i = 0; i < Tile::kGroupSize; i += 4) {
      const FourSums four = part_sum(p, i / 4);
      for (int j = 0; j < 4; ++j) total[i + j] += four.sum[j];
    }
  Tile::template write<E>(
      gradient_tile<E, Slots>(params, sum.group, sum.offset, sum.tile, Tile::kTileM, Tile::kTileN),
      group, total, thread);
}

/// `early`: behind a kernel that lets none begin before it ends. Where the one before does, blocks
/// of back-to-back runs lose more than a launch takes, two percent of 0.6 ms in the record of
/// 9c8ec3e.
template <class E, class Tile, int Slots = 1>
void launch_wgrad_sums(const WgradParams& params, const gpu::Stream& stream, bool early = false) {
  const int parts = sum_parts<Tile>(params), width = kSumThreads<Tile> / parts;
  const int blocks = params.sum_count * Tile::kGroups * (Tile::kThreads / width);
  auto* kernel = wgrad_sum_kernel<E, Tile, Slots, false>;
  if constexpr (kSumParts<Tile> < kMostSumParts<Tile>)
    if (parts > kSumParts<Tile>) kernel = wgrad_sum_kernel<E, Tile, Slots, true>;
  const dim3 grid(static_cast<unsigned>(blocks));
  const dim3 block(static_cast<unsigned>(width), static_cast<unsigned>(parts));
  if (early)
    gpu::launch_early(kernel, grid, block, 0, stream, params);
  else
    gpu::launch(kernel, grid, block, 0, stream, params);
}

}  // namespace spb::plans
