// SPDX-License-Identifier: Apache-2.0
// wgrad of depthwise convolutions, in two stages of fixed order: sums of runs of rows, then theirs.
//
// grid    x = runs of successive tiles, y = slabs of channels, z = kDepthwiseOffsets offsets each
// threads x = 32: a lane has Width channels of the slab, the others the same of other rows
//         y = 3: kOffsets successive offsets each, whose sums stay in registers from the first tile
//         to the last; gout is read once for all of them
// barrier one a tile, which also keeps the gathers of all offsets together in the first cache
#include "kernels/common/column_sum.h"
#include "kernels/depthwise/layout.cuh"

namespace spb::plans {
namespace {

constexpr int kOffsets = 9, kParts = kDepthwiseOffsets / kOffsets;
constexpr int kSlabThreads = 32;
/// Loads of a thread that fly at a time.
constexpr int kFlying = 3;
static_assert(kOffsets * kParts == kDepthwiseOffsets && kOffsets % kFlying == 0);

/// The entry of `offset` in the tile's list of `size` ascending offsets, or -1.
__device__ int find_offset(const int32_t* listed, int size, int offset) {
  int low = 0, high = size;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (listed[middle] < offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low < size && listed[low] == offset ? low : -1;
}

/// Adds the products of one row of gout. `entries`: of the thread's offsets in the tile's list;
/// `index`: of the row's position, for the first of the list.
template <class E, int Width>
__device__ void add_row(const DepthwisePass& pass, const typename E::Storage* in,
                        const Elements<typename E::Storage, Width>& gout, const int* entries,
                        const int32_t* index, int channel, float (&sums)[kOffsets][Width]) {
  using Word = Elements<typename E::Storage, Width>;
  int32_t rows[kOffsets];
  for (int o = 0; o < kOffsets; ++o)
    rows[o] = entries[o] < 0 ? -1 : index[int64_t{entries[o]} * kDepthwiseTile];
  float factors[Width];
  for (int w = 0; w < Width; ++w) factors[w] = E::load(gout.at[w]);
  for (int first = 0; first < kOffsets; first += kFlying) {
    Word words[kFlying];
    for (int o = 0; o < kFlying; ++o)
      words[o] = gather<Word>(in, rows[first + o], pass.channels, channel);
    for (int o = 0; o < kFlying; ++o) {
      if (rows[first + o] < 0) continue;
      for (int w = 0; w < Width; ++w) sums[first + o][w] += factors[w] * E::load(words[o].at[w]);
    }
  }
}

template <class E, int Width>
GPU_KERNEL void __launch_bounds__(kSlabThreads* kParts)
    wgrad_kernel(DepthwisePass pass, const typename E::Storage* in, const typename E::Storage* gout,
                 float* partials, int lanes_log2) {
  __shared__ int entries[2][kDepthwiseOffsets];  // of this tile and the next
  __shared__ float shared[kParts][kSlabThreads * Width];
  gpu::wait_for_earlier_kernels();
  const int thread = static_cast<int>(threadIdx.x), part = static_cast<int>(threadIdx.y);
  const int lanes = 1 << lanes_log2, slab = Width << lanes_log2;
  const int slab_channel = static_cast<int>(blockIdx.y) * slab;
  const int channel = slab_channel + (thread & (lanes - 1)) * Width;
  const bool inside = channel < pass.channels;
  const int first_offset = static_cast<int>(blockIdx.z) * kDepthwiseOffsets;

  float sums[kOffsets][Width] = {};
  const int64_t first_tile = int64_t{blockIdx.x} * pass.tiles_each;
  const int64_t end_tile =
      first_tile + pass.tiles_each < pass.tiles ? first_tile + pass.tiles_each : pass.tiles;
  for (int64_t tile = first_tile; tile < end_tile; ++tile) {
    const int64_t begin = pass.listed_begin[tile];
    const int size = static_cast<int>(pass.listed_begin[tile + 1] - begin);
    int* own = entries[tile & 1];
    if (const int o = part * kSlabThreads + thread; o < kDepthwiseOffsets)
      own[o] = find_offset(pass.listed + begin, size, first_offset + o);
    gpu::sync_threads();
    if (!inside) continue;
    for (int r = thread >> lanes_log2; r < kDepthwiseTile; r += kSlabThreads >> lanes_log2) {
      const int64_t at = tile * kDepthwiseTile + r;
      if (at >= pass.rows) break;
      const int64_t row = pass.order ? pass.order[at] : at;
      add_row<E, Width>(pass, in,
                        *reinterpret_cast<const Elements<typename E::Storage, Width>*>(
                            gout + row * pass.channels + channel),
                        own + part * kOffsets, pass.tile_index + begin * kDepthwiseTile + r,
                        channel, sums);
    }
  }

  float* to = partials + int64_t{blockIdx.x} * pass.channels * pass.kernel_volume;
  for (int o = 0; o < kOffsets; ++o) {
    const int offset = first_offset + part * kOffsets + o;
    gpu::sync_threads();
    for (int w = 0; w < Width; ++w) shared[part][thread * Width + w] = sums[o][w];
    gpu::sync_threads();
    for (int c = thread; c < slab; c += kSlabThreads) {
      if (offset >= pass.kernel_volume || slab_channel + c >= pass.channels) break;
      float sum = 0;
      for (int i = c; i < kSlabThreads * Width; i += slab) sum += shared[part][i];
      to[int64_t{slab_channel + c} * pass.kernel_volume + offset] = sum;
    }
  }
}

}  // namespace

void depthwise_wgrad(Dtype dtype, const DepthwisePass& pass, const void* in, const void* gout,
                     float* partials, void* gw, const gpu::Stream& stream) {
  with_depthwise(dtype, pass.channels, {in, gout}, [&]<class E, int Width>() {
    const int lanes = lanes_log2(pass.channels, Width), slab = Width << lanes;
    const int offset_chunks = (pass.kernel_volume + kDepthwiseOffsets - 1) / kDepthwiseOffsets;
    const dim3 grid(gpu::grid_of(pass.chunks()),
                    static_cast<unsigned>((pass.channels + slab - 1) / slab),
                    static_cast<unsigned>(offset_chunks));
    using T = typename E::Storage;
    gpu::launch_early(wgrad_kernel<E, Width>, grid, dim3(kSlabThreads, kParts), 0, stream, pass,
                      static_cast<const T*>(in), static_cast<const T*>(gout), partials, lanes);
  });
  sum_partials(dtype, partials, pass.chunks(), int64_t{pass.channels} * pass.kernel_volume, gw,
               stream);
}

}  // namespace spb::plans
