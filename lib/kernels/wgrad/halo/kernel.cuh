// SPDX-License-Identifier: Apache-2.0
// wgrad of few channels by halos (maps/halo/halo.h), from sm_80 on. CUDA only.
//
// Blocks stay and go from tile to tile. A tile's halo, its local indices and its rows of gout are
// copied while the one before is multiplied. A warp has up to two offsets, whose sums stay in its
// registers from the block's first tile to its last; then they are written as they are, and a
// launch of its own adds up those of all blocks, in their order.
//
// grid   x = blocks that stay, up to one per multiprocessor. Block x takes tiles x, x + gridDim.x
// ... tile   M = 16 | 32 channels of gout, N = as many of in, K = 256 rows in 4 groups, all offsets
//
// role           warps  registers            does
// all            16     of 128, 64 of them   copies its share; for each 16 rows, 2 offsets: rows of
//                       sums of 32 channels  gout and of the halo by ldmatrix, turned; mma.sync
//
// Each iteration, a tile t of the block (wait: cp.async.wait_group 0):
//   wait, barrier: all of t, the list of t + 1, headers up to t + 2; nobody reads t - 1 any more
//   begin to copy halo, local indices, gout of t + 1, the list of t + 2, the header of t + 3
//   multiply t; of a tile in further rounds, for each: barrier, copy its halo, wait, barrier,
//   multiply
//
// shared memory   bytes         layout
// stage [2] halo  640 x 64      [slot][channel]; chunk c at c ^ (color % 4); slots 0, 1 are zeros
//        local    (108 + 1) x 128  [entry][64 rows] of 16 bits; an entry is (group, offset)
//        gout     256 x 32 | 64 [row][channel]; chunk c swizzled by the row (places.h)
// list [2]        640 x 4       [slot] row and color
// headers         4 x 64        maps::HaloTile, a ring
#pragma once

#include "gpu/element.cuh"
#include "gpu/launch.cuh"
#include "gpu/mma/atoms_sm80.cuh"
#include "kernels/common/halo_places.h"
#include "kernels/wgrad/halo/places.h"
#include "kernels/wgrad/params.h"

namespace spb::plans {

/// E: gpu::F16 or gpu::BF16.
template <class E, int Channels>
class HaloWgrad {
  using Halo = HaloPlaces;
  using Places = HaloWgradPlaces;
  using Atom = typename gpu::sm80::AtomOf<E>::Type;

 public:
  static constexpr int kThreads = 32 * Places::kWarps, kChannels = Channels;

 private:
  static constexpr int kChunks = Channels / 8, kOffsets = Places::kOffsetsOfWarp;
  static constexpr int kTilesM = Channels / 16, kTilesN = Channels / 8;
  static constexpr int kEntryBytes = Halo::kEntryBytes;
  static constexpr int kSliceRows = 16, kSlices = maps::kHaloGroupRows / kSliceRows;
  static constexpr int kMostEntries = Places::kMostOffsets * maps::kHaloGroups;
  static constexpr int kHeaderBytes = sizeof(maps::HaloTile), kHeaderRing = Places::kHeaderRing;
  static constexpr int kRowsAtATime = kThreads / kChunks;
  static constexpr int kRowsOfThread = maps::kHaloRows * kChunks / kThreads;
  static_assert(kRowsOfThread * kThreads == maps::kHaloRows * kChunks);

  static constexpr int kLocal = maps::kHaloSlots * Halo::kRowBytes;
  static constexpr int kGout = kLocal + (kMostEntries + 1) * kEntryBytes;
  static constexpr int kStageBytes = kGout + maps::kHaloRows * kChunks * 16;
  static constexpr int kLists = 2 * kStageBytes;
  static constexpr int kListBytes = maps::kHaloSlots * int{sizeof(uint32_t)};
  static constexpr int kHeaders = kLists + 2 * kListBytes;
  static_assert(kStageBytes % 128 == 0 && kHeaders % kHeaderBytes == 0);

 public:
  static constexpr int kSharedBytes = kHeaders + kHeaderRing * kHeaderBytes;

  explicit __device__ HaloWgrad(const WgradParams& params)
      : params_(params), shared_(gpu::dynamic_shared<char>()) {
    base_ = gpu::sm80::shared_address(shared_);
    // Through a shuffle, so that the compiler knows it uniform.
    const int warp = __shfl_sync(~0u, thread() / 32, 0);
#pragma unroll
    for (int i = 0; i < kOffsets; ++i) offset_[i] = Places::offset(params.kernel_volume, warp, i);
  }

  __device__ void run() {
    if (base_ % 128 != 0) __trap();  // slots are addressed by an xor
    for (int stage = 0; stage < 2; ++stage)
      if (thread() < 2 * Halo::kRowBytes / 4)
        reinterpret_cast<uint32_t*>(shared_ + stage * kStageBytes)[thread()] = 0;
    for (int i = 0; i < kHeaderRing - 1; ++i) copy_header(i);
    load_rows(0);
    wait_copies();
    __syncthreads();
    copy_list(0);
    wait_copies();
    __syncthreads();
    fill(0);
    for (int iteration = 0; exists(iteration); ++iteration) {
      wait_copies();
      __syncthreads();
      fill(iteration + 1);
      copy_header(iteration + kHeaderRing - 1);
      sum_tile(iteration);
    }
    write();
  }

 private:
  static __device__ int thread() { return static_cast<int>(threadIdx.x); }
  static __device__ void wait_copies() {
    gpu::sm80::commit_copies();
    gpu::sm80::wait_copies<0>();
  }
  static __device__ int64_t tile_at(int iteration) {
    return blockIdx.x + int64_t{gridDim.x} * iteration;
  }
  __device__ bool exists(int iteration) const { return tile_at(iteration) < params_.halos.count; }
  static __device__ uint32_t stage_of(int iteration) {
    return static_cast<uint32_t>(iteration % 2 * kStageBytes);
  }
  static __device__ uint32_t below(int offset) { return (1u << offset) - 1; }
  __device__ const maps::HaloTile& header(int iteration) const {
    return reinterpret_cast<const maps::HaloTile*>(shared_ + kHeaders)[iteration % kHeaderRing];
  }

  __device__ void copy_header(int iteration) const {
    if (!exists(iteration) || thread() >= kHeaderBytes / 16) return;
    gpu::sm80::copy_16(
        base_ + kHeaders + iteration % kHeaderRing * kHeaderBytes + thread() * 16,
        reinterpret_cast<const char*>(params_.halos.tiles + tile_at(iteration)) + thread() * 16);
  }
  /// Of the first round. The iteration's header has come.
  __device__ void copy_list(int iteration) const {
    if (!exists(iteration)) return;
    const maps::HaloTile& tile = header(iteration);
    const uint32_t to = base_ + kLists + iteration % 2 * kListBytes;
    for (int i = thread() * 4; i < tile.slot_count; i += kThreads * 4)
      gpu::sm80::copy_16(to + i * 4, params_.halos.slots + tile.slots_begin + i);
  }
  /// The thread's rows of gout in the iteration's tile, -1: none.
  __device__ void load_rows(int iteration) {
#pragma unroll
    for (int i = 0; i < kRowsOfThread; ++i) {
      const int64_t position =
          tile_at(iteration) * maps::kHaloRows + i * kRowsAtATime + thread() / kChunks;
      rows_[i] =
          exists(iteration) && position < params_.rows ? __ldg(params_.order + position) : -1;
    }
  }

  /// Begins all copies of the iteration's tile, whose list has come and whose rows are known, then
  /// those of what the next one wants to know.
  __device__ void fill(int iteration) {
    if (!exists(iteration)) return;
    const uint32_t stage = base_ + stage_of(iteration);
    const maps::HaloTile& tile = header(iteration);
    const auto* list =
        reinterpret_cast<const uint32_t*>(shared_ + kLists + iteration % 2 * kListBytes);
    copy_halo(stage, tile.slot_count, [&](int slot) { return list[slot]; });
    int entries = 0;
#pragma unroll
    for (uint32_t mask : tile.masks) entries += __popc(mask);
    const auto* local =
        reinterpret_cast<const char*>(params_.halos.local) + tile.local_begin * kEntryBytes;
    for (int i = thread() * 16; i < entries * kEntryBytes; i += kThreads * 16)
      gpu::sm80::copy_16(stage + kLocal + i, local + i);
    const int chunk = thread() % kChunks;
    const auto* gout = static_cast<const char*>(params_.gout) + chunk * 16;
#pragma unroll
    for (int i = 0; i < kRowsOfThread; ++i) {
      const bool present = rows_[i] >= 0 && chunk * 8 < params_.c_out;
      gpu::sm80::copy_16_or_zero(
          Places::gout<kChunks>(stage + kGout, i * kRowsAtATime + thread() / kChunks, chunk),
          gout + (present ? int64_t{rows_[i]} * params_.gout_pitch * 2 : 0), present);
    }
    load_rows(iteration + 1);
    copy_list(iteration + 1);
  }

  /// entry_of(slot): as in HaloLists::slots. Chunks beyond the channels become zeros.
  template <class EntryOf>
  __device__ void copy_halo(uint32_t stage, int slot_count, EntryOf entry_of) const {
    const int chunk = thread() % kChunks;
    const bool inside = chunk * 8 < params_.c_in;
    const char* in = static_cast<const char*>(params_.in) + chunk * 16;
    const auto pitch = static_cast<uint32_t>(params_.in_pitch) * uint32_t{sizeof(uint16_t)};
#pragma unroll 4
    for (int slot = thread() / kChunks; slot < slot_count; slot += kRowsAtATime) {
      const uint32_t entry = entry_of(slot);
      if (entry == maps::HaloLists::kNoRow) continue;
      const uint32_t to = Halo::slot(stage, slot, chunk, entry);
      if (inside)
        gpu::sm80::copy_16(to, in + uint64_t{entry >> 2} * pitch);
      else
        gpu::sm80::store_shared_16(to, {0, 0, 0, 0});
    }
  }

  __device__ void sum_tile(int iteration) {
    const maps::HaloTile& tile = header(iteration);
    const uint32_t stage = stage_of(iteration);
    int offset_end = tile.offset_end;
    sum(stage, tile, below(offset_end));
    if (offset_end >= params_.kernel_volume) return;
    const uint32_t* list = params_.halos.more + tile.more_begin;
    do {
      const uint32_t done = below(offset_end);
      const auto slot_count = static_cast<int>(__ldg(list));
      offset_end = static_cast<int>(__ldg(list + 1));
      list += maps::kHaloRoundHeader;
      __syncthreads();  // nobody reads the round before
      copy_halo(base_ + stage, slot_count, [&](int slot) { return __ldg(list + slot); });
      wait_copies();
      __syncthreads();
      sum(stage, tile, below(offset_end) & ~done);
      list += slot_count;
    } while (offset_end < params_.kernel_volume);
  }

  /// Adds the tile's rows for each of `offsets` that the warp has.
  __device__ __forceinline__ void sum(uint32_t stage, const maps::HaloTile& tile,
                                      uint32_t offsets) {
    const char* group = shared_ + stage + kLocal + thread() % 16 * int{sizeof(uint16_t)};
#pragma unroll 1
    for (int g = 0; g < maps::kHaloGroups; ++g) {
      const uint32_t mask = tile.masks[g];
      const char* local[kOffsets];
      bool has[kOffsets], any = false;
#pragma unroll
      for (int i = 0; i < kOffsets; ++i) {
        has[i] = mask & offsets & (1u << offset_[i]);
        local[i] = group + __popc(mask & below(offset_[i])) * kEntryBytes;
        any |= has[i];
      }
      group += __popc(mask) * kEntryBytes;
      if (!any) continue;
      uint32_t index[kSlices][kOffsets];  // of the row that the lane addresses; 0: none
#pragma unroll
      for (int s = 0; s < kSlices; ++s)
#pragma unroll
        for (int i = 0; i < kOffsets; ++i)
          index[s][i] =
              has[i] ? *reinterpret_cast<const uint16_t*>(local[i] + s * kSliceRows * 2) : 0;
#pragma unroll
      for (int s = 0; s < kSlices; ++s)
        sum_slice(stage, g * maps::kHaloGroupRows + s * kSliceRows, index[s]);
    }
  }

  __device__ __forceinline__ void sum_slice(uint32_t stage, int row,
                                            const uint32_t (&index)[kOffsets]) {
    const int lane = thread() % 32;
    bool some[kOffsets], any = false;
#pragma unroll
    for (int i = 0; i < kOffsets; ++i) {
      some[i] = __any_sync(~0u, index[i] >= Halo::kFirstRow);
      any |= some[i];
    }
    if (!any) return;
    uint32_t a[kTilesM][4];
#pragma unroll
    for (int m = 0; m < kTilesM; ++m)
      gpu::sm80::load_transposed_matrices(
          a[m], Places::operand_a<kChunks>(base_ + stage + kGout, row, lane, m));
#pragma unroll
    for (int i = 0; i < kOffsets; ++i) {
      if (!some[i]) continue;
      // Lanes 0 to 15 address the rows at channels 0 to 7, the others at 8 to 15.
      const uint32_t from = Halo::row(base_ + stage, index[i], lane / 16);
#pragma unroll
      for (int n = 0; n < kTilesN; n += 2) {
        uint32_t b[4];
        gpu::sm80::load_transposed_matrices(b, from ^ (n << 4));
#pragma unroll
        for (int m = 0; m < kTilesM; ++m)
#pragma unroll
          for (int half = 0; half < 2; ++half)
            Atom::multiply(sums_[i][m][n + half], a[m],
                           reinterpret_cast<const uint32_t(&)[2]>(b[2 * half]));
      }
    }
  }

  /// To the block's partial, [c_out, kernel volume, c_in].
  __device__ void write() const {
    const int lane = thread() % 32, volume = params_.kernel_volume;
    float* partial = params_.partials + int64_t{blockIdx.x} * params_.c_out * volume * params_.c_in;
#pragma unroll
    for (int i = 0; i < kOffsets; ++i) {
      if (offset_[i] >= volume) continue;
#pragma unroll
      for (int m = 0; m < kTilesM; ++m)
#pragma unroll
        for (int n = 0; n < kTilesN; ++n)
#pragma unroll
          for (int half = 0; half < 2; ++half) {
            const int co = m * 16 + lane / 4 + half * 8, ci = n * 8 + lane % 4 * 2;
            if (co < params_.c_out && ci < params_.c_in)
              *reinterpret_cast<float2*>(partial + (co * volume + offset_[i]) * params_.c_in +
                                         ci) = {sums_[i][m][n][2 * half],
                                                sums_[i][m][n][2 * half + 1]};
          }
    }
  }

  const WgradParams& params_;
  char* shared_;
  uint32_t base_;  // shared address of `shared_`
  int offset_[kOffsets];
  int32_t rows_[kRowsOfThread];
  float sums_[kOffsets][kTilesM][kTilesN][4] = {};
};

template <class Wgrad>
__global__ void __launch_bounds__(Wgrad::kThreads, 1)
    halo_wgrad_sm80_kernel(const __grid_constant__ WgradParams params) {
  gpu::wait_for_earlier_kernels();  // a block a multiprocessor: there is room for those of the sum
  if constexpr (gpu::sm80::kPresent)
    Wgrad(params).run();
  else
    __trap();
}

}  // namespace spb::plans
