// SPDX-License-Identifier: Apache-2.0
// wgrad of depthwise convolutions, in two stages of fixed order: sums of runs of rows, then theirs.
//
// grid    x = runs of successive tiles, y = slabs of channels, z = kDepthwiseOffsets offsets each
// threads x = 32: a lane has Width channels of the slab, the others the same of rows beside its own
//         y = 3: kOffsets successive offsets each, whose sums stay in registers from the first tile
//         to the last; gout is read once for all of them
//         z = kRowGroups, which share the rows of a tile
// shared  two stages of a tile's index and order: no load waits for where to load from. In the end
//         sums of an offset, to add up those of other rows
// barrier one a tile, which also keeps the gathers of all offsets together in the first cache
#include "kernels/common/column_sum.h"
#include "kernels/depthwise/layout.cuh"

namespace spb::plans {
namespace {

constexpr int kOffsets = 9, kParts = kDepthwiseOffsets / kOffsets;
constexpr int kSlabThreads = 32, kRowGroups = 2;
constexpr int kWgradThreads = kSlabThreads * kParts * kRowGroups;
static_assert(kOffsets * kParts == kDepthwiseOffsets);
/// Loads of a thread that fly at a time: all nine would take registers that sums have.
constexpr int kFlying = 5;

/// What is listed of a tile, of the block's offsets.
struct alignas(16) TilePart {
  int32_t index[(kDepthwiseOffsets + 1) * kDepthwiseTile];  ///< then the rows of what is not listed
  int32_t offsets[kDepthwiseOffsets];
  int32_t order[kDepthwiseTile];
};

struct Entries {
  int64_t begin = 0;
  int count = 0;
};

/// How many of a list's `size` ascending offsets are less.
__device__ inline int count_less(const int32_t* listed, int size, int offset) {
  int low = 0, high = size;
  while (low < high) {
    const int middle = (low + high) / 2;
    if (listed[middle] < offset)
      low = middle + 1;
    else
      high = middle;
  }
  return low;
}

/// The entries of a tile's list that have one of kDepthwiseOffsets offsets from `first` on.
__device__ inline Entries entries_of(const DepthwisePass& pass, int64_t tile, int first) {
  int64_t begin = pass.listed_begin[tile];
  int size = static_cast<int>(pass.listed_begin[tile + 1] - begin);
  if (pass.kernel_volume > kDepthwiseOffsets) {
    const int before = count_less(pass.listed + begin, size, first);
    begin += before;
    size = count_less(pass.listed + begin, size - before, first + kDepthwiseOffsets);
  }
  return {begin, size};
}

/// Begins to copy them.
__device__ inline void fill(const DepthwisePass& pass, int64_t tile, const Entries& entries,
                            TilePart& part) {
  const int thread =
      static_cast<int>((threadIdx.z * kParts + threadIdx.y) * kSlabThreads + threadIdx.x);
  constexpr int kWord = sizeof(int32_t);
  copy_index(pass, entries.begin, entries.count, part.index, thread, kWgradThreads);
  if (thread < entries.count)
    gpu::copy_ahead<kWord>(part.offsets + thread, pass.listed + entries.begin + thread);
  const int64_t at = tile * kDepthwiseTile + thread;
  if (thread < kDepthwiseTile && pass.order && at < pass.rows)
    gpu::copy_ahead<kWord>(part.order + thread, pass.order + at);
}
static_assert(kWgradThreads >= kDepthwiseTile);

/// What a thread adds up: kOffsets offsets of its channels.
template <class E, int Width>
class OffsetSums {
  using T = typename E::Storage;
  using Word = RowWord<T, Width>;

 public:
  /// `in`, `gout`: the thread's channels in the first row.
  __device__ OffsetSums(const T* in, const T* gout, uint32_t row_bytes)
      : in_(reinterpret_cast<const char*>(in)),
        gout_(reinterpret_cast<const char*>(gout)),
        row_bytes_(row_bytes) {}

  /// Adds rows position, position + step, ... of the first `rows` of a tile. `first`: the thread's
  /// first offset.
  __device__ void add(const TilePart& part, int count, bool ordered, int64_t first_row, int rows,
                      int position, int step, int first) {
    int slots[kOffsets];  // in the index
    int entry = count_less(part.offsets, count, first);
    for (int o = 0; o < kOffsets; ++o) {
      const bool listed = entry < count && part.offsets[entry] == first + o;
      slots[o] = (listed ? entry++ : kDepthwiseOffsets) * kDepthwiseTile;
    }
    if (position >= rows) return;
    const auto gout_of = [&](int r) {
      const auto row = ordered ? part.order[r] : static_cast<int32_t>(first_row + r);
      return *row_of<Word>(gout_, row, row_bytes_);
    };
    // Loads of either half of the offsets fly while the sums take on the other's.
    Gathered<0, kFlying> early{};
    Gathered<kFlying, kOffsets> late{};
    Word gout = gout_of(position);
    gather(part, slots, position, early);
    for (int r = position; r < rows; r += step) {
      float factors[Width];
      for (int w = 0; w < Width; ++w) factors[w] = factor<E>(gout, w);
      gather(part, slots, r, late);
      gpu::finish_issuing_loads();
      add(early, factors);
      if (r + step < rows) {
        gout = gout_of(r + step);
        gather(part, slots, r + step, early);
      }
      gpu::finish_issuing_loads();
      add(late, factors);
    }
  }
  __device__ const float (&of(int offset) const)[Width] { return sums_[offset]; }

 private:
  /// A row's neighbors at offsets [First, End).
  template <int First, int End>
  struct Gathered {
    int32_t rows[End - First];
    Word words[End - First];  // of those that are there
  };

  template <int First, int End>
  __device__ void gather(const TilePart& part, const int (&slots)[kOffsets], int r,
                         Gathered<First, End>& gathered) const {
    for (int o = First; o < End; ++o) {
      const int32_t row = part.index[slots[o] + r];
      gathered.rows[o - First] = row;
      const Word* from = row_of<Word>(in_, row, row_bytes_);
      if (row >= 0) gathered.words[o - First] = *from;
    }
  }
  template <int First, int End>
  __device__ void add(const Gathered<First, End>& gathered, const float (&factors)[Width]) {
    for (int o = First; o < End; ++o) {
      if (gathered.rows[o - First] < 0) continue;
      for (int w = 0; w < Width; ++w)
        sums_[o][w] += factors[w] * factor<E>(gathered.words[o - First], w);
    }
  }

  const char *in_, *gout_;
  uint32_t row_bytes_;
  float sums_[kOffsets][Width] = {};
};

template <class E, int Width>
GPU_KERNEL void __launch_bounds__(kWgradThreads, 2)
    wgrad_kernel(DepthwisePass pass, const typename E::Storage* in, const typename E::Storage* gout,
                 float* partials, int lanes_log2) {
  __shared__ TilePart parts[2];
  __shared__ float shared[kParts][kRowGroups * kSlabThreads * Width];
  gpu::wait_for_earlier_kernels();
  const int thread = static_cast<int>(threadIdx.x), part = static_cast<int>(threadIdx.y);
  const int row_group = static_cast<int>(threadIdx.z);
  const int lanes = 1 << lanes_log2, slab = Width << lanes_log2;
  const int slab_channel = static_cast<int>(blockIdx.y) * slab;
  const int channel = slab_channel + (thread & (lanes - 1)) * Width;
  const bool inside = channel < pass.channels;
  const int rows_beside = kSlabThreads >> lanes_log2;
  const int block_offset = static_cast<int>(blockIdx.z) * kDepthwiseOffsets;
  const int first_offset = block_offset + part * kOffsets;
  OffsetSums<E, Width> sums(in + channel, gout + channel,
                            static_cast<uint32_t>(pass.channels * sizeof(*in)));

  const int64_t first_tile = int64_t{blockIdx.x} * pass.tiles_each;
  const int64_t end_tile =
      first_tile + pass.tiles_each < pass.tiles ? first_tile + pass.tiles_each : pass.tiles;
  for (int i = (row_group * kParts + part) * kSlabThreads + thread; i < kDepthwiseTile;
       i += kWgradThreads)
    for (TilePart& each : parts) each.index[kDepthwiseOffsets * kDepthwiseTile + i] = -1;
  Entries entries = entries_of(pass, first_tile, block_offset);
  fill(pass, first_tile, entries, parts[0]);
  for (int64_t tile = first_tile; tile < end_tile; ++tile) {
    gpu::wait_for_copies();
    gpu::sync_threads();
    const auto now = static_cast<int>(tile - first_tile) & 1;
    Entries next;
    if (tile + 1 < end_tile) {
      next = entries_of(pass, tile + 1, block_offset);
      fill(pass, tile + 1, next, parts[now ^ 1]);
    }
    const int64_t first_row = tile * kDepthwiseTile;
    const int64_t left = pass.rows - first_row;
    if (inside)
      sums.add(parts[now], entries.count, pass.order != nullptr, first_row,
               left < kDepthwiseTile ? static_cast<int>(left) : kDepthwiseTile,
               row_group * rows_beside + (thread >> lanes_log2), rows_beside * kRowGroups,
               first_offset);
    entries = next;
  }

  float* to = partials + int64_t{blockIdx.x} * pass.channels * pass.kernel_volume;
  constexpr int kSums = kRowGroups * kSlabThreads * Width;
  for (int o = 0; o < kOffsets; ++o) {
    const int offset = first_offset + o;
    gpu::sync_threads();
    for (int w = 0; w < Width; ++w)
      shared[part][(row_group * kSlabThreads + thread) * Width + w] = sums.of(o)[w];
    gpu::sync_threads();
    for (int c = row_group * kSlabThreads + thread; c < slab; c += kRowGroups * kSlabThreads) {
      if (offset >= pass.kernel_volume || slab_channel + c >= pass.channels) break;
      float sum = 0;
      for (int i = c; i < kSums; i += slab) sum += shared[part][i];
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
    gpu::launch_early(wgrad_kernel<E, Width>, grid, dim3(kSlabThreads, kParts, kRowGroups), 0,
                      stream, pass, static_cast<const T*>(in), static_cast<const T*>(gout),
                      partials, lanes);
  });
  sum_partials(dtype, partials, pass.chunks(), int64_t{pass.channels} * pass.kernel_volume, gw,
               stream);
}

}  // namespace spb::plans
