// SPDX-License-Identifier: Apache-2.0
// fprop and dgrad of depthwise convolutions by halos (maps/halo.h): each row that a tile reaches is
// brought to shared memory once, instead of once for each of its neighbors.
//
// grid    x = tiles, y = runs of slabs: 64 bytes of each row, as wide as a slot
// threads 256: four side by side have a chunk of 16 bytes each of four successive positions of a
//         group. The next four have the next positions, whose colors differ in parity (arrange() of
//         maps/halo): eight threads that read slots at a time meet all banks
// shared  the halo of a slab; the tile's list and local indices, for all of its slabs
//         weights of the slab [offset][channel], as fp32, and of the next one as they are stored
// A block loads, then multiplies; beside it others of its multiprocessor do the other.
#include "gpu/qualifiers.h"
#include "kernels/depthwise/halo.cuh"

namespace spb::plans {
namespace {

/// Positions of a thread: a weight that it reads serves all of them.
constexpr int kHaloPositions = 4;
constexpr int kHaloThreads = maps::kHaloRows / kHaloPositions * maps::kHaloChunks;

/// What a thread adds up: its chunk of kHaloPositions rows.
template <class E, int Width>
class HaloSums {
  using T = typename E::Storage;
  using Word = RowWord<T, Width>;
  using Indices = Elements<uint16_t, kHaloPositions>;

 public:
  __device__ explicit HaloSums(const char* halo)
      : halo_(halo), chunk_(threadIdx.x % maps::kHaloChunks) {}

  /// Adds an entry for each of `offsets`; `local`: the thread's positions in the first of them,
  /// which moves on.
  __device__ void add(uint32_t offsets, const char*& local, const SlabWeights<Width>& weights) {
    for (uint32_t rest = offsets; rest != 0; rest &= rest - 1) {
      const Indices indices = *reinterpret_cast<const Indices*>(local);
      local += kEntryBytes;
      const Elements<float, Width> of_offset = weights.of(gpu::lowest_bit(rest));
      Word words[kHaloPositions];
      GPU_UNROLL_AMD
      for (int r = 0; r < kHaloPositions; ++r)
        words[r] = halo_word<Word>(halo_, indices.at[r], chunk_);
      gpu::finish_issuing_loads();
      GPU_UNROLL_AMD
      for (int r = 0; r < kHaloPositions; ++r) {
        if (indices.at[r] < HaloPlaces::kFirstRow) continue;
        GPU_UNROLL_AMD
        for (int w = 0; w < Width; ++w) sums_[r][w] += of_offset.at[w] * factor<E>(words[r], w);
      }
    }
  }

  /// Writes the rows at positions from `first` on, whose channels begin at `channel`.
  __device__ void store(const DepthwiseHaloPass& pass, const Operations& of, int64_t first,
                        int channel) {
    GPU_UNROLL_AMD
    for (int r = 0; r < kHaloPositions; ++r) {
      if (first + r >= pass.rows) return;
      Elements<T, Width> word{};
      const int64_t to = int64_t{pass.order[first + r]} * pass.channels + channel;
      finish<E>(sums_[r], of.epilogue, channel, to, word.at);
      *reinterpret_cast<Elements<T, Width>*>(static_cast<T*>(of.out) + to) = word;
    }
  }

 private:
  const char* halo_;
  uint32_t chunk_;
  float sums_[kHaloPositions][Width] = {};
};

/// Begins to copy the weights of a slab as they are stored, [channel][offset].
template <class T>
__device__ void copy_weights(const DepthwiseHaloPass& pass, const void* weights, int channel,
                             int channels, T* raw, int thread) {
  copy_all(raw, static_cast<const T*>(weights) + int64_t{channel} * pass.kernel_volume,
           channels * pass.kernel_volume * int{sizeof(T)}, thread, kHaloThreads);
}

/// Stores them as fp32.
template <class E, int Width>
__device__ void spread_weights(int kernel_volume, bool mirrored, int channels,
                               const typename E::Storage* raw, const SlabLayout<Width>& layout,
                               float* weights, int thread) {
  constexpr int kSlab = Width * maps::kHaloChunks;
  const int c = thread % kSlab;
  if (c >= channels) return;
  for (int o = thread / kSlab; o < kernel_volume; o += kHaloThreads / kSlab)
    weights[layout.place(o, c)] =
        E::load(raw[c * kernel_volume + (mirrored ? kernel_volume - 1 - o : o)]);
}

template <class E>
GPU_KERNEL void __launch_bounds__(kHaloThreads, kDepthwiseHaloBlocks)
    depthwise_halo_rows_kernel(DepthwiseHaloPass pass, Operations of) {
  using T = typename E::Storage;
  constexpr int kWidth = kChunkBytes / sizeof(T), kSlab = kWidth * maps::kHaloChunks;
  gpu::wait_for_earlier_kernels();
  const int volume = pass.kernel_volume;
  const SlabLayout<kWidth> layout(kChunkLanesLog2);
  char* halo = gpu::dynamic_shared<char>();
  auto* slots = reinterpret_cast<uint32_t*>(halo + kHaloBytes);
  char* local = reinterpret_cast<char*>(slots + maps::kHaloSlots);
  auto* weights = reinterpret_cast<float*>(local + volume * maps::kHaloGroups * kEntryBytes);
  auto* raw_weights = reinterpret_cast<T*>(weights + volume * layout.pitch());
  const auto thread = static_cast<int>(threadIdx.x);
  const int lane = thread % maps::kHaloChunks,
            position = thread / maps::kHaloChunks * kHaloPositions;
  const auto run = static_cast<int>(pass.run);
  const int first_slab = static_cast<int>(blockIdx.y) * run;
  const int end_slab = first_slab + run < pass.slabs ? first_slab + run : pass.slabs;
  const auto channels_of = [&](int slab) {
    const int left = pass.channels - slab * kSlab;
    return left < kSlab ? left : kSlab;
  };

  copy_all(slots, pass.slots + int64_t{blockIdx.x} * maps::kHaloSlots,
           maps::kHaloSlots * int{sizeof(uint32_t)}, thread, kHaloThreads);
  copy_weights(pass, of.weights, first_slab * kSlab, channels_of(first_slab), raw_weights, thread);
  const maps::HaloTile& tile = pass.tiles[blockIdx.x];
  int entries = 0, before = 0;  // of all groups, of those before the thread's
  uint32_t mask = 0;
  for (int g = 0; g < maps::kHaloGroups; ++g) {
    if (g == position / maps::kHaloGroupRows) before = entries, mask = tile.masks[g];
    entries += gpu::popcount(tile.masks[g]);
  }
  copy_all(local, reinterpret_cast<const char*>(pass.local) + tile.local_begin * kEntryBytes,
           entries * kEntryBytes, thread, kHaloThreads);

  const auto row_bytes = static_cast<uint32_t>(pass.channels * sizeof(T));
  for (int slab = first_slab; slab < end_slab; ++slab) {
    gpu::wait_for_copies();
    gpu::sync_threads();  // nobody reads the slab before; the weights of this one are there
    const int channel = slab * kSlab + lane * kWidth;
    const bool inside = channel < pass.channels;
    const char* source = reinterpret_cast<const char*>(static_cast<const T*>(of.source) + channel);
    copy_halo(slots, tile.slot_count, source, row_bytes, inside, halo, thread, kHaloThreads);
    spread_weights<E>(volume, of.mirrored, channels_of(slab), raw_weights, layout, weights, thread);
    gpu::wait_for_copies();
    gpu::sync_threads();
    if (slab + 1 < end_slab)
      copy_weights(pass, of.weights, (slab + 1) * kSlab, channels_of(slab + 1), raw_weights,
                   thread);

    const SlabWeights<kWidth> of_lane(layout, weights, lane, 0);
    HaloSums<E, kWidth> sums(halo);
    const char* entry =
        local + before * kEntryBytes + position % maps::kHaloGroupRows * int{sizeof(uint16_t)};
    int offset_end = tile.offset_end;
    uint32_t rest = mask;
    if (inside) sums.add(rest & offsets_below(offset_end), entry, of_lane);
    const uint32_t* list = pass.more + tile.more_begin;
    while (pass.more && offset_end < volume) {
      rest &= ~offsets_below(offset_end);
      const auto slot_count = static_cast<int>(list[0]);
      offset_end = static_cast<int>(list[1]);
      list += maps::kHaloRoundHeader;
      gpu::sync_threads();  // nobody reads the round before
      copy_halo(list, slot_count, source, row_bytes, inside, halo, thread, kHaloThreads);
      gpu::wait_for_copies();
      gpu::sync_threads();
      if (inside) sums.add(rest & offsets_below(offset_end), entry, of_lane);
      list += slot_count;
    }
    if (inside) sums.store(pass, of, int64_t{blockIdx.x} * maps::kHaloRows + position, channel);
  }
}

}  // namespace

void depthwise_halo_rows(Dtype dtype, const DepthwiseHaloPass& pass, const void* source,
                         const void* weights, bool mirrored, const OutputEpilogue& epilogue,
                         void* out, const gpu::Stream& stream) {
  const Operations of{source, weights, mirrored, epilogue, out};
  with_element(dtype, [&]<class E>(E) {
    constexpr SlabLayout<kChunkBytes / sizeof(typename E::Storage)> kLayout(kChunkLanesLog2);
    const dim3 grid(gpu::grid_of(pass.tile_count), static_cast<unsigned>(pass.runs));
    const auto volume = static_cast<size_t>(pass.kernel_volume);
    const size_t shared_bytes =
        kHaloBytes + maps::kHaloSlots * sizeof(uint32_t) +
        volume * (maps::kHaloGroups * kEntryBytes + kLayout.pitch() * sizeof(float) + kSlotBytes);
    gpu::launch_early(depthwise_halo_rows_kernel<E>, grid, dim3(kHaloThreads), shared_bytes, stream,
                      pass, of);
  });
}

}  // namespace spb::plans
