// SPDX-License-Identifier: Apache-2.0
// wgrad of depthwise convolutions by halos, in two stages of fixed order: sums of runs of tiles,
// then theirs.
//
// grid    x = runs of successive tiles, y = slabs: 64 bytes of each row
//         z = kHaloBlockOffsets offsets each
// threads x = 32: eight pairs of positions, a chunk of 16 bytes each for four threads
//         Positions of the lower and the upper half of a run of eight are of other parity, so that
//         eight threads that read slots at a time meet all banks
//         y = kHaloParts: kHaloOffsets successive offsets each, whose sums stay in registers from
//         the first tile to the last; gout is read once for all of them
//         z = kGroupsBeside groups of a tile at a time
// shared  the halo of a tile, its local indices; of this tile and the next one header, order and
//         list: no copy waits for where to copy from. In the end sums of an offset
#include "gpu/qualifiers.h"
#include "kernels/common/column_sum.h"
#include "kernels/depthwise/halo.cuh"

namespace spb::plans {
namespace {

constexpr int kHaloOffsets = 7, kHaloParts = 4, kHaloBlockOffsets = kHaloOffsets * kHaloParts;
constexpr int kGroupsBeside = 2;
constexpr int kHaloSlabThreads = kHaloPairs * maps::kHaloChunks;
constexpr int kHaloWgradThreads = kHaloSlabThreads * kHaloParts * kGroupsBeside;
/// Positions of a thread at a time.
constexpr int kPairRows = 2;
constexpr int kHaloSteps = maps::kHaloGroupRows / (kHaloPairs * kPairRows);

/// What is known of a tile before its rows are.
struct Ahead {
  maps::HaloTile header;
  int32_t order[maps::kHaloRows];  ///< 0 beyond the last row
  uint32_t slots[maps::kHaloSlots];
};
static_assert(2 * sizeof(Ahead) <= 16 << 10, "as much as launches reckon with");

/// Begins to copy it.
__device__ inline void fill(const DepthwiseHaloPass& pass, int64_t tile, int thread, Ahead& ahead) {
  copy_all(&ahead.header, pass.tiles + tile, sizeof ahead.header, thread, kHaloWgradThreads);
  copy_all(ahead.slots, pass.slots + tile * maps::kHaloSlots, sizeof ahead.slots, thread,
           kHaloWgradThreads);
  for (int i = thread; i < maps::kHaloRows; i += kHaloWgradThreads) {
    const int64_t at = tile * maps::kHaloRows + i;
    if (at < pass.rows)
      gpu::copy_ahead<sizeof(int32_t)>(ahead.order + i, pass.order + at);
    else
      ahead.order[i] = 0;
  }
}

/// What a thread adds up: kHaloOffsets offsets of its chunk.
template <class E, int Width>
class OffsetProducts {
  using T = typename E::Storage;
  using Word = RowWord<T, Width>;

 public:
  /// `gout`: the thread's chunk of row 0. `first`: the thread's first offset.
  __device__ OffsetProducts(const char* halo, const T* gout, uint32_t row_bytes, int first)
      : halo_(halo),
        gout_(reinterpret_cast<const char*>(gout)),
        row_bytes_(row_bytes),
        first_(first) {}

  /// Adds a group's rows for each of `offsets`. `mask`: all offsets of the group, `local`: the
  /// local indices of the first, `order`: its rows.
  __device__ void add(uint32_t offsets, uint32_t mask, const char* local, const int32_t* order) {
    if (first_ >= maps::kMostHaloOffsets) return;
    const uint32_t mine = offsets >> first_ & ((1u << kHaloOffsets) - 1), listed = mask >> first_;
    if (mine == 0) return;
    const int before = gpu::popcount(mask & ((uint32_t{1} << first_) - 1));
    const auto pair = static_cast<int>(threadIdx.x) / maps::kHaloChunks;
    const auto chunk = threadIdx.x % maps::kHaloChunks;
    const auto position_of = [&](int step) { return pair_position(pair, step); };
    const auto gout_of = [&](int step, Word(&gout)[kPairRows]) {
      GPU_UNROLL_AMD
      for (int r = 0; r < kPairRows; ++r)
        gout[r] = *row_of<Word>(gout_, order[position_of(step) + r], row_bytes_);
    };
    Word next[kPairRows];
    gout_of(0, next);
    for (int step = 0; step < kHaloSteps; ++step) {
      float factors[kPairRows][Width];
      GPU_UNROLL_AMD
      for (int r = 0; r < kPairRows; ++r) {
        GPU_UNROLL_AMD
        for (int w = 0; w < Width; ++w) factors[r][w] = factor<E>(next[r], w);
      }
      if (step + 1 < kHaloSteps) gout_of(step + 1, next);
      const char* at = local + before * kEntryBytes + position_of(step) * int{sizeof(uint16_t)};
      GPU_UNROLL_AMD
      for (int o = 0; o < kHaloOffsets; ++o) {
        if (listed >> o & 1) at += kEntryBytes;
        if (!(mine >> o & 1)) continue;
        const auto indices =
            *reinterpret_cast<const Elements<uint16_t, kPairRows>*>(at - kEntryBytes);
        Word words[kPairRows];
        GPU_UNROLL_AMD
        for (int r = 0; r < kPairRows; ++r) words[r] = halo_word<Word>(halo_, indices.at[r], chunk);
        gpu::finish_issuing_loads();
        GPU_UNROLL_AMD
        for (int r = 0; r < kPairRows; ++r) {
          if (indices.at[r] < HaloPlaces::kFirstRow) continue;
          GPU_UNROLL_AMD
          for (int w = 0; w < Width; ++w) sums_[o][w] += factors[r][w] * factor<E>(words[r], w);
        }
      }
    }
  }
  __device__ const float (&of(int offset) const)[Width] { return sums_[offset]; }

 private:
  const char *halo_, *gout_;
  uint32_t row_bytes_;
  int first_;
  float sums_[kHaloOffsets][Width] = {};
};

template <class E>
GPU_KERNEL void __launch_bounds__(kHaloWgradThreads, kDepthwiseHaloWgradBlocks)
    halo_wgrad_kernel(DepthwiseHaloPass pass, const typename E::Storage* in,
                      const typename E::Storage* gout, float* partials) {
  using T = typename E::Storage;
  constexpr int kWidth = kChunkBytes / sizeof(T), kSlab = kWidth * maps::kHaloChunks;
  // Shared memory has no constructors.
  alignas(Ahead) __shared__ char ahead_bytes[2 * sizeof(Ahead)];
  Ahead* ahead = reinterpret_cast<Ahead*>(ahead_bytes);
  gpu::wait_for_earlier_kernels();
  char* halo = gpu::dynamic_shared<char>();
  char* local = halo + kHaloBytes;
  const auto part = static_cast<int>(threadIdx.y), beside = static_cast<int>(threadIdx.z);
  const int thread =
      (beside * kHaloParts + part) * kHaloSlabThreads + static_cast<int>(threadIdx.x);
  const int slab_channel = static_cast<int>(blockIdx.y) * kSlab;
  const int channel = slab_channel + thread % maps::kHaloChunks * kWidth;
  const bool inside = channel < pass.channels;
  const auto row_bytes = static_cast<uint32_t>(pass.channels * sizeof(T));
  const char* channels = reinterpret_cast<const char*>(in + channel);
  const int first = static_cast<int>(blockIdx.z) * kHaloBlockOffsets + part * kHaloOffsets;
  OffsetProducts<E, kWidth> products(halo, gout + channel, row_bytes, first);

  const int64_t first_tile = int64_t{blockIdx.x} * pass.run;
  const int64_t end_tile =
      first_tile + pass.run < pass.tile_count ? first_tile + pass.run : pass.tile_count;
  fill(pass, first_tile, thread, ahead[0]);
  for (int64_t t = first_tile; t < end_tile; ++t) {
    gpu::wait_for_copies();
    gpu::sync_threads();
    const Ahead& now = ahead[(t - first_tile) & 1];
    const maps::HaloTile& tile = now.header;
    int entries = 0;
    for (const uint32_t mask : tile.masks) entries += gpu::popcount(mask);
    copy_halo(now.slots, tile.slot_count, channels, row_bytes, inside, halo, thread,
              kHaloWgradThreads);
    copy_all(local, reinterpret_cast<const char*>(pass.local) + tile.local_begin * kEntryBytes,
             entries * kEntryBytes, thread, kHaloWgradThreads);
    gpu::wait_for_copies();
    gpu::sync_threads();
    if (t + 1 < end_tile) fill(pass, t + 1, thread, ahead[(t + 1 - first_tile) & 1]);

    const auto add = [&](uint32_t offsets) {
      if (!inside) return;
      const char* of_group = local;
      for (int g = 0; g < maps::kHaloGroups; ++g) {
        if (g % kGroupsBeside == beside)
          products.add(tile.masks[g] & offsets, tile.masks[g], of_group,
                       now.order + g * maps::kHaloGroupRows);
        of_group += gpu::popcount(tile.masks[g]) * kEntryBytes;
      }
    };
    uint32_t done = offsets_below(tile.offset_end);
    add(done);
    const uint32_t* list = pass.more + tile.more_begin;
    for (int end = tile.offset_end; end < pass.kernel_volume;) {
      const auto slot_count = static_cast<int>(list[0]);
      end = static_cast<int>(list[1]);
      list += maps::kHaloRoundHeader;
      gpu::sync_threads();  // nobody reads the round before
      copy_halo(list, slot_count, channels, row_bytes, inside, halo, thread, kHaloWgradThreads);
      gpu::wait_for_copies();
      gpu::sync_threads();
      add(offsets_below(end) & ~done);
      done = offsets_below(end);
      list += slot_count;
    }
  }

  // [part][group beside][pair][channel of the slab], in place of the halo
  auto* shared = reinterpret_cast<float*>(halo) + part * kGroupsBeside * kHaloPairs * kSlab;
  static_assert(kHaloParts * kGroupsBeside * kHaloPairs * kSlab * sizeof(float) <= kHaloBytes);
  float* to = partials + int64_t{blockIdx.x} * pass.channels * pass.kernel_volume;
  GPU_UNROLL_AMD
  for (int o = 0; o < kHaloOffsets; ++o) {
    gpu::sync_threads();
    GPU_UNROLL_AMD
    for (int w = 0; w < kWidth; ++w)
      shared[(beside * kHaloSlabThreads + static_cast<int>(threadIdx.x)) * kWidth + w] =
          products.of(o)[w];
    gpu::sync_threads();
    for (int c = beside * kHaloSlabThreads + static_cast<int>(threadIdx.x); c < kSlab;
         c += kGroupsBeside * kHaloSlabThreads) {
      if (first + o >= pass.kernel_volume || slab_channel + c >= pass.channels) break;
      float sum = 0;
      for (int i = c; i < kGroupsBeside * kHaloPairs * kSlab; i += kSlab) sum += shared[i];
      to[int64_t{slab_channel + c} * pass.kernel_volume + first + o] = sum;
    }
  }
}

}  // namespace

void depthwise_halo_wgrad(Dtype dtype, const DepthwiseHaloPass& pass, const void* in,
                          const void* gout, float* partials, void* gw, const gpu::Stream& stream) {
  with_element(dtype, [&]<class E>(E) {
    using T = typename E::Storage;
    const dim3 grid(
        gpu::grid_of(pass.runs), static_cast<unsigned>(pass.slabs),
        static_cast<unsigned>((pass.kernel_volume + kHaloBlockOffsets - 1) / kHaloBlockOffsets));
    const size_t shared_bytes =
        kHaloBytes + static_cast<size_t>(pass.kernel_volume) * maps::kHaloGroups * kEntryBytes;
    gpu::launch_early(halo_wgrad_kernel<E>, grid, dim3(kHaloSlabThreads, kHaloParts, kGroupsBeside),
                      shared_bytes, stream, pass, static_cast<const T*>(in),
                      static_cast<const T*>(gout), partials);
  });
  sum_partials(dtype, partials, pass.runs, int64_t{pass.channels} * pass.kernel_volume, gw, stream);
}

}  // namespace spb::plans
