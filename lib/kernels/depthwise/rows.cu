// SPDX-License-Identifier: Apache-2.0
// fprop and dgrad of depthwise convolutions.
//
// grid    x = runs of successive tiles, y = slabs of channels
// threads 32 x lanes: a lane has Width channels of the slab and kDepthwiseRows rows of each tile
//         These stand beside those of its warp's other lanes: an offset that none has is skipped
// shared  weights of the slab [offset][channel], as fp32: taking 16 bits apart at each use would
//         cost more than the second read. Two stages of the tile index: gathers never wait for
//         where to gather from
// loads   those of the next offset fly while the sums take on this one's
#include "gpu/qualifiers.h"
#include "kernels/depthwise/layout.cuh"

namespace spb::plans {
namespace {

/// Rows of a thread, one after the other: each weight that it reads serves all of them.
constexpr int kDepthwiseRows = 2;
constexpr int kRowThreads = kDepthwiseTile / kDepthwiseRows;
constexpr int kMostThreads = kRowThreads * kDepthwiseLanes;
/// Offsets whose weights are in shared memory at a time.
constexpr int kWeightOffsets = 128;
/// Entries of tiles' lists in a stage.
constexpr int kStageEntries = 12;

struct alignas(16) Stage {
  int32_t index[kStageEntries * kDepthwiseTile];
  int32_t offsets[kStageEntries];
};

/// What a thread adds up: its channels of kDepthwiseRows rows.
template <class E, int Width>
class RowSums {
  using T = typename E::Storage;
  using Word = RowWord<T, Width>;

 public:
  /// `source`: the thread's channels in the first row. `position`: its first row in a tile.
  __device__ RowSums(const T* source, uint32_t row_bytes, int position)
      : source_(reinterpret_cast<const char*>(source)),
        row_bytes_(row_bytes),
        position_(position) {}

  /// Adds entries [begin, end) of a stage.
  __device__ void add(const Stage& stage, int begin, int end, const SlabWeights<Width>& weights) {
    const auto multiply = [&](int entry, const Gathered& gathered) {
      add(gathered, weights.of(stage.offsets[entry]));
    };
    Gathered even{}, odd{};
    gather_rows(stage, begin, even);
    int entry = begin;
    for (; entry + 1 < end; entry += 2) {
      gather_rows(stage, entry + 1, odd);
      multiply(entry, even);
      if (entry + 2 < end) gather_rows(stage, entry + 2, even);
      multiply(entry + 1, odd);
    }
    if (entry < end) multiply(entry, even);
  }

  /// Writes the rows of a tile, whose channels begin at `channel`, and begins anew.
  __device__ void store(const DepthwisePass& pass, const Operations& of, int64_t tile,
                        int channel) {
    GPU_UNROLL_AMD
    for (int r = 0; r < kDepthwiseRows; ++r) {
      const int64_t at = tile * kDepthwiseTile + position_ + r;
      if (at < pass.rows) {
        const int64_t row = pass.order ? pass.order[at] : at;
        Elements<T, Width> word{};
        const int64_t to = row * pass.channels + channel;
        finish<E>(sums_[r], of.epilogue, channel, to, word.at);
        *reinterpret_cast<Elements<T, Width>*>(static_cast<T*>(of.out) + to) = word;
      }
      GPU_UNROLL_AMD
      for (int w = 0; w < Width; ++w) sums_[r][w] = 0;
    }
  }

 private:
  struct Gathered {
    Elements<int32_t, kDepthwiseRows> rows;
    Word words[kDepthwiseRows];  // of those that are there
  };

  __device__ void gather_rows(const Stage& stage, int entry, Gathered& gathered) const {
    gathered.rows = *reinterpret_cast<const Elements<int32_t, kDepthwiseRows>*>(
        stage.index + entry * kDepthwiseTile + position_);
    GPU_UNROLL_AMD
    for (int r = 0; r < kDepthwiseRows; ++r) {
      const Word* from = row_of<Word>(source_, gathered.rows.at[r], row_bytes_);
      if (gathered.rows.at[r] >= 0) gathered.words[r] = *from;
    }
  }
  __device__ void add(const Gathered& gathered, const Elements<float, Width>& weights) {
    GPU_UNROLL_AMD
    for (int r = 0; r < kDepthwiseRows; ++r) {
      if (gathered.rows.at[r] < 0) continue;
      GPU_UNROLL_AMD
      for (int w = 0; w < Width; ++w)
        sums_[r][w] += weights.at[w] * factor<E>(gathered.words[r], w);
    }
  }

  const char* source_;
  uint32_t row_bytes_;
  int position_;
  float sums_[kDepthwiseRows][Width] = {};
};

/// Begins to copy entries [first, first + kStageEntries) of tiles' lists, those before `end`.
__device__ inline void fill(const DepthwisePass& pass, int64_t first, int64_t end, Stage& stage) {
  const auto thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  const int count = end - first < kStageEntries ? static_cast<int>(end - first) : kStageEntries;
  copy_index(pass, first, count, stage.index, thread, threads);
  if (thread < count)
    gpu::copy_ahead<sizeof(int32_t)>(stage.offsets + thread, pass.listed + first + thread);
}

/// Stores the weights of offsets [first, first + count) and of `channels` channels from `channel`.
template <class E, int Width>
__device__ void load_weights(const DepthwisePass& pass, const Operations& of, int first, int count,
                             int channel, int channels, const SlabLayout<Width>& layout,
                             float* shared) {
  constexpr int kBeside = 32;  // offsets of a channel, which lie side by side
  const auto* weights = static_cast<const typename E::Storage*>(of.weights);
  const auto thread = static_cast<int>(threadIdx.x), threads = static_cast<int>(blockDim.x);
  for (int o = thread % kBeside; o < count; o += kBeside) {
    const int from = of.mirrored ? pass.kernel_volume - 1 - (first + o) : first + o;
    for (int c = thread / kBeside; c < channels; c += threads / kBeside)
      shared[layout.place(o, c)] =
          E::load(weights[int64_t{channel + c} * pass.kernel_volume + from]);
  }
}

template <class E, int Width>
GPU_KERNEL void __launch_bounds__(kMostThreads, 2)
    rows_kernel(DepthwisePass pass, Operations of, int lanes_log2) {
  using T = typename E::Storage;
  gpu::wait_for_earlier_kernels();
  Stage* stages = gpu::dynamic_shared<Stage>();
  float* shared_weights = reinterpret_cast<float*>(stages + 2);
  const int thread = static_cast<int>(threadIdx.x), lane = thread & ((1 << lanes_log2) - 1);
  const int slab = Width << lanes_log2;
  const SlabLayout<Width> layout(lanes_log2);
  const int slab_channel = static_cast<int>(blockIdx.y) * slab;
  const int left = pass.channels - slab_channel, slab_channels = left < slab ? left : slab;
  const int channel = slab_channel + lane * Width;
  const bool inside = channel < pass.channels;
  RowSums<E, Width> sums(static_cast<const T*>(of.source) + channel,
                         static_cast<uint32_t>(pass.channels * sizeof(T)),
                         (thread >> lanes_log2) * kDepthwiseRows);
  const auto store = [&](int64_t tile) {
    if (inside) sums.store(pass, of, tile, channel);
  };

  // Weights of all offsets serve the whole run; else each tile takes them in parts.
  const bool in_parts = pass.kernel_volume > kWeightOffsets;
  int64_t tile = int64_t{blockIdx.x} * pass.tiles_each;
  const int64_t end_tile =
      tile + pass.tiles_each < pass.tiles ? tile + pass.tiles_each : pass.tiles;
  while (tile < end_tile) {
    const int64_t last_tile = in_parts ? tile : end_tile - 1;
    int64_t tile_end = pass.listed_begin[tile + 1];
    int64_t entry = pass.listed_begin[tile];
    const int64_t end = pass.listed_begin[last_tile + 1];
    for (int first = 0; first < pass.kernel_volume; first += kWeightOffsets) {
      int64_t part_end = in_parts ? entry : end;
      while (part_end < end && pass.listed[part_end] < first + kWeightOffsets) ++part_end;
      const int rest = pass.kernel_volume - first;
      gpu::sync_threads();
      fill(pass, entry, part_end, stages[0]);
      load_weights<E>(pass, of, first, rest < kWeightOffsets ? rest : kWeightOffsets, slab_channel,
                      slab_channels, layout, shared_weights);
      const SlabWeights<Width> weights(layout, shared_weights, lane, first);
      for (int now = 0; entry < part_end; now ^= 1) {
        gpu::wait_for_copies();
        gpu::sync_threads();
        const int64_t stage_begin = entry;
        const int64_t stage_end =
            entry + kStageEntries < part_end ? entry + kStageEntries : part_end;
        if (stage_end < part_end) fill(pass, stage_end, part_end, stages[now ^ 1]);
        while (entry < stage_end) {
          for (; entry == tile_end; tile_end = pass.listed_begin[tile + 1]) store(tile++);
          const int64_t until = tile_end < stage_end ? tile_end : stage_end;
          if (inside)
            sums.add(stages[now], static_cast<int>(entry - stage_begin),
                     static_cast<int>(until - stage_begin), weights);
          entry = until;
        }
      }
    }
    while (tile <= last_tile) store(tile++);
  }
}

}  // namespace

void depthwise_rows(Dtype dtype, const DepthwisePass& pass, const void* source, const void* weights,
                    bool mirrored, const OutputEpilogue& epilogue, void* out,
                    const gpu::Stream& stream) {
  const Operations of{source, weights, mirrored, epilogue, out};
  with_depthwise(dtype, pass.channels, {source, out}, [&]<class E, int Width>() {
    const int lanes = lanes_log2(pass.channels, Width), slab = Width << lanes;
    const dim3 grid(gpu::grid_of(pass.chunks()),
                    static_cast<unsigned>((pass.channels + slab - 1) / slab));
    const int offsets = pass.kernel_volume < kWeightOffsets ? pass.kernel_volume : kWeightOffsets;
    const size_t shared_bytes =
        2 * sizeof(Stage) +
        static_cast<size_t>(offsets * SlabLayout<Width>(lanes).pitch()) * sizeof(float);
    gpu::launch_early(rows_kernel<E, Width>, grid, dim3(kRowThreads << lanes), shared_bytes, stream,
                      pass, of, lanes);
  });
}

}  // namespace spb::plans
