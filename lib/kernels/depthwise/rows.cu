// SPDX-License-Identifier: Apache-2.0
// fprop and dgrad of depthwise convolutions.
//
// grid    x = runs of successive tiles, y = slabs of channels
// threads 32 x lanes: a lane has Width channels of the slab and kRows rows of each tile
// shared  weights of the slab [offset][channel], as they are stored: half the reads of fp32. Its
//         rows have a pad of 16 bytes, so that what is loaded offset by offset is stored with few
//         conflicts
// loads   those of the next offset fly while the sums take on this one's
#include "kernels/depthwise/layout.cuh"

namespace spb::plans {
namespace {

/// Rows of a thread: each weight that it reads serves all of them.
constexpr int kRows = 4;
constexpr int kRowThreads = kDepthwiseTile / kRows;
constexpr int kMostThreads = kRowThreads * kDepthwiseLanes;
/// Offsets whose weights are in shared memory at a time.
constexpr int kWeightOffsets = 128;

struct alignas(16) RowNumbers {
  int32_t at[kRows];
};

struct Operations {
  const void *source, *weights;
  bool mirrored;
  const float* bias;
  void* out;
};

/// Of the slab's weights in shared memory, in elements.
template <class T>
__host__ __device__ constexpr int weight_pitch(int slab) {
  return slab + 16 / static_cast<int>(sizeof(T));
}

/// Stores the weights of offsets [first, first + count) and of `channels` channels from `channel`.
template <class T>
__device__ void load_weights(const DepthwisePass& pass, const Operations& of, int first, int count,
                             int channel, int channels, int pitch, T* shared) {
  const T* weights = static_cast<const T*>(of.weights) + int64_t{channel} * pass.kernel_volume;
  for (int i = static_cast<int>(threadIdx.x); i < channels * count;
       i += static_cast<int>(blockDim.x)) {
    const int c = i / count, o = i % count;
    const int from = of.mirrored ? pass.kernel_volume - 1 - (first + o) : first + o;
    shared[o * pitch + c] = weights[int64_t{c} * pass.kernel_volume + from];
  }
}

/// Adds the offsets entry, entry + 1, ... before `end` of the tile's list to the sums of the rows
/// from `position` on. `weights`: those of the thread's channels, of offset `first`.
template <class E, int Width>
__device__ void add_offsets(const DepthwisePass& pass, const typename E::Storage* source,
                            int64_t entry, int64_t end, int position, int channel,
                            const typename E::Storage* weights, int first, int pitch,
                            float (&sums)[kRows][Width]) {
  using Word = Elements<typename E::Storage, Width>;
  const auto rows_of = [&](int64_t at) -> RowNumbers {
    if (at >= end) return {{-1, -1, -1, -1}};
    return *reinterpret_cast<const RowNumbers*>(pass.tile_index + at * kDepthwiseTile + position);
  };
  const auto offset_of = [&](int64_t at) { return at < end ? pass.listed[at] - first : 0; };
  const auto gather_rows = [&](const RowNumbers& rows, Word(&words)[kRows]) {
    for (int r = 0; r < kRows; ++r)
      words[r] = gather<Word>(source, rows.at[r], pass.channels, channel);
  };
  RowNumbers rows = rows_of(entry), next_rows = rows_of(entry + 1);
  int offset = offset_of(entry);
  Word words[kRows], next_words[kRows];
  gather_rows(rows, words);
  for (; entry < end; ++entry) {
    gather_rows(next_rows, next_words);
    const RowNumbers later_rows = rows_of(entry + 2);
    const int next_offset = offset_of(entry + 1);
    const Word weight = *reinterpret_cast<const Word*>(weights + offset * pitch);
    for (int r = 0; r < kRows; ++r) {
      if (rows.at[r] < 0) continue;
      for (int w = 0; w < Width; ++w) sums[r][w] += E::load(weight.at[w]) * E::load(words[r].at[w]);
    }
    for (int r = 0; r < kRows; ++r) words[r] = next_words[r];
    rows = next_rows;
    next_rows = later_rows;
    offset = next_offset;
  }
}

template <class E, int Width>
GPU_KERNEL void __launch_bounds__(kMostThreads)
    rows_kernel(DepthwisePass pass, Operations of, int lanes_log2) {
  using T = typename E::Storage;
  gpu::wait_for_earlier_kernels();
  T* shared = gpu::dynamic_shared<T>();
  const int thread = static_cast<int>(threadIdx.x), lane = thread & ((1 << lanes_log2) - 1);
  const int slab = Width << lanes_log2, pitch = weight_pitch<T>(slab);
  const int slab_channel = static_cast<int>(blockIdx.y) * slab;
  const int left = pass.channels - slab_channel, slab_channels = left < slab ? left : slab;
  const int channel = slab_channel + lane * Width;
  const bool inside = channel < pass.channels;
  const int position = (thread >> lanes_log2) * kRows;
  const bool reloads = pass.kernel_volume > kWeightOffsets;

  const int64_t first_tile = int64_t{blockIdx.x} * pass.tiles_each;
  const int64_t end_tile =
      first_tile + pass.tiles_each < pass.tiles ? first_tile + pass.tiles_each : pass.tiles;
  for (int64_t tile = first_tile; tile < end_tile; ++tile) {
    float sums[kRows][Width] = {};
    int64_t entry = pass.listed_begin[tile];
    const int64_t end = pass.listed_begin[tile + 1];
    for (int first = 0; first < pass.kernel_volume; first += kWeightOffsets) {
      const int rest = pass.kernel_volume - first;
      if (reloads || tile == first_tile) {
        gpu::sync_threads();
        load_weights(pass, of, first, rest < kWeightOffsets ? rest : kWeightOffsets, slab_channel,
                     slab_channels, pitch, shared);
        gpu::sync_threads();
      }
      int64_t stop = reloads ? entry : end;
      while (stop < end && pass.listed[stop] < first + kWeightOffsets) ++stop;
      if (inside)
        add_offsets<E, Width>(pass, static_cast<const T*>(of.source), entry, stop, position,
                              channel, shared + lane * Width, first, pitch, sums);
      entry = stop;
    }
    if (!inside) continue;
    for (int r = 0; r < kRows; ++r) {
      const int64_t at = tile * kDepthwiseTile + position + r;
      if (at >= pass.rows) break;
      const int64_t row = pass.order ? pass.order[at] : at;
      Elements<T, Width> word;
      for (int w = 0; w < Width; ++w)
        word.at[w] = E::store(of.bias ? sums[r][w] + of.bias[channel + w] : sums[r][w]);
      *reinterpret_cast<Elements<T, Width>*>(static_cast<T*>(of.out) + row * pass.channels +
                                             channel) = word;
    }
  }
}

}  // namespace

void depthwise_rows(Dtype dtype, const DepthwisePass& pass, const void* source, const void* weights,
                    bool mirrored, const float* bias, void* out, const gpu::Stream& stream) {
  const Operations of{source, weights, mirrored, bias, out};
  with_depthwise(dtype, pass.channels, {source, out}, [&]<class E, int Width>() {
    const int lanes = lanes_log2(pass.channels, Width), slab = Width << lanes;
    const dim3 grid(gpu::grid_of(pass.chunks()),
                    static_cast<unsigned>((pass.channels + slab - 1) / slab));
    using T = typename E::Storage;
    const int offsets = pass.kernel_volume < kWeightOffsets ? pass.kernel_volume : kWeightOffsets;
    gpu::launch_early(rows_kernel<E, Width>, grid, dim3(kRowThreads << lanes),
                      static_cast<size_t>(offsets * weight_pitch<T>(slab)) * sizeof(T), stream,
                      pass, of, lanes);
  });
}

}  // namespace spb::plans
