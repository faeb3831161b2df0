// SPDX-License-Identifier: Apache-2.0
// The tile of fprop and dgrad that reads halos. CUDA only.
//
// Blocks stay. Each copies the weights of its column tile once, then goes from tile to tile: it
// loads the tile's halo and local indices, and its warps load rows of A from the halo into
// registers and multiply. The row list of a tile's first round is copied a tile ahead and its
// header two, so that a halo's copies begin at once; copies of one block can overlap the multiplies
// of the other on its multiprocessor. No producer warps, no mbarriers: all threads copy and
// multiply, and the only barriers are __syncthreads of all.
//
// grid   x = blocks that stay, up to HaloRowTile::blocks per multiprocessor, divided by the column
//        tiles; y = column tiles. Block x takes tiles x, x + gridDim.x, ...
// tile   M = 256 rows in 4 groups, N = 32 | 16 columns, K = 32 | 16: all channels, and zeros
//
// role           warps                      does
// group 0 ... 3  wgmma 4 each, 16 in all;   copies its share for all groups, then multiplies its 64
//                mma.sync 2 each, 8 in all  rows (wgmma/sums.cuh, sm80/sums.cuh), A from registers
//
// Each iteration, a tile t of the block (wait: cp.async.wait_group 0):
//   wait, barrier 1: row list t and headers t, t + 1 are visible; nobody reads tile t - 1 any more
//   copy the halo and the local indices, load the numbers of the output rows
//   wait, barrier 2: both are visible, the row list is free for t + 1
//   copy row list t + 1 and header t + 2
//   for each offset of the group: ldmatrix of A, multiply; no barrier
//   of a tile in further rounds, for each: barrier, copy its halo, wait, barrier, multiply
//   add the bias, finish, write rows
//
// shared memory   bytes             layout
// weights         27 x N x 2 K      [offset][column][K], or, Transposed, [offset][K][column]; chunk
//                                   c of a row at c ^ (row / 2 % 4), the swizzle of 64 bytes, of 32
//                                   bytes c ^ (row / 4 % 2)
// halo            640 x 64          [slot][K]; chunk c at c ^ (color % 4); slots 0, 1 are zeros
// local indices   (108 + 1) x 128   [entry][64 rows] of 16 bits; an entry is (group, offset)
// list            640 x 4           [slot] row and color of the next tile's halo
// headers         4 x 64            maps::HaloTile of three tiles (a ring of four: the place is a
// mask)
#pragma once

#include "gpu/launch.cuh"
#include "gpu/mma/sm80.cuh"
#include "kernels/common/halo_places.h"
#include "kernels/gather_gemm/halo/halo.h"
#include "kernels/gather_gemm/halo/weight_places.h"
#include "kernels/gather_gemm/wgmma_accumulators.cuh"

namespace spb::plans {

/// Of 16 rows of a warp: sums of 32 columns, as gpu::sm90::Multiply and mma.sync leave them. Of
/// kernels of 16 columns the others stay zeros, which nobody writes: there are no such columns.
inline constexpr int kHaloColumns = 32;
using HaloAccumulators = float[kHaloColumns / 2];

/// Walks a warp's rows through a group's entries: their local indices, of 16 rows each, as the
/// thread addresses them for the warp. Of an ldmatrix.x4, lanes 0 to 15 address 16 rows at k 0 to
/// 7, lanes 16 to 31 the same rows at k 8 to 15.
template <int RowTiles>
struct HaloLocals {
  static constexpr int kEntryBytes = HaloPlaces::kEntryBytes;
  static constexpr int kRowTileBytes = 16 * sizeof(uint16_t);
  const char* at;
  uint32_t value[RowTiles];
  __device__ explicit HaloLocals(const char* first) : at(first) { load(); }
  __device__ void next() {
    at += kEntryBytes;
    load();
  }
  __device__ void load() {
#pragma unroll
    for (int i = 0; i < RowTiles; ++i)
      value[i] = *reinterpret_cast<const uint16_t*>(at + i * kRowTileBytes);
  }
};

/// Sums: what a block's warps multiply by, of 16 * kRowTiles rows each.
template <class Sums>
class HaloRows {
 public:
  static constexpr int kTileM = maps::kHaloRows, kTileN = Sums::kTileN, kTileK = Sums::kTileK;
  static constexpr int kRowTiles = Sums::kRowTiles, kBlocks = Sums::kBlocks;
  static constexpr int kWarpRows = 16 * kRowTiles;
  static constexpr int kGroup = maps::kHaloGroupRows / kWarpRows * 32;
  static constexpr int kThreads = maps::kHaloGroups * kGroup;

 private:
  using E = typename Sums::Element;
  static constexpr bool Transposed = Sums::kTransposed;
  using Places = HaloPlaces;
  using Locals = HaloLocals<kRowTiles>;
  static constexpr int kChunks = Places::kChunks, kRowBytes = Places::kRowBytes;
  static constexpr int kUsedChunks = kTileK / 8;  // of a slot
  static constexpr int kMatrixRows = Transposed ? kTileK : kTileN;
  static constexpr int kMatrixChunks = (Transposed ? kTileN : kTileK) / 8;
  static constexpr int kMatrixBytes = kMatrixRows * kMatrixChunks * 16;
  static constexpr int kEntryBytes = Locals::kEntryBytes;
  static constexpr int kMostEntries = kMostHaloMatrices * maps::kHaloGroups;
  static constexpr int kHeaderBytes = sizeof(maps::HaloTile);
  static_assert(sizeof(typename E::Storage) == 2 && kUsedChunks <= kChunks);

  // In shared memory: [kMostHaloMatrices, kMatrixRows] swizzled rows of weights; the halo,
  // [kHaloSlots] rows; local indices of the tile, with one entry more, which is read and not used;
  // the next tile's list; headers of this tile and two more, in a ring.
  static constexpr int kHalo = kMostHaloMatrices * kMatrixBytes;
  static constexpr int kLocal = kHalo + maps::kHaloSlots * kRowBytes;
  static constexpr int kList = kLocal + (kMostEntries + 1) * kEntryBytes;
  static constexpr int kHeaders = kList + maps::kHaloSlots * int{sizeof(uint32_t)};
  static constexpr int kHeaderRing = 4;
  static constexpr int kEnd = kHeaders + kHeaderRing * kHeaderBytes;
  static constexpr int kAlignment = 1024;  // 64-byte swizzled matrices need 512
  static_assert(kHalo % kRowBytes == 0 && kHeaders % kHeaderBytes == 0);

 public:
  static constexpr size_t kSharedBytes = kEnd + kAlignment;

  explicit __device__ HaloRows(const GatherGemmParams& params) : params_(params) {
    char* raw = gpu::dynamic_shared<char>();
    const uint32_t address = gpu::sm80::shared_address(raw);
    base_ = (address + kAlignment - 1) & ~uint32_t{kAlignment - 1};
    shared_ = raw + (base_ - address);
    column0_ = static_cast<int>(blockIdx.y) * kTileN;
    // Through a shuffle, so that the compiler knows it uniform.
    group_ = __shfl_sync(~0u, thread() / kGroup, 0);
  }

  __device__ void run() {
    if (thread() < 2 * kRowBytes / 4) reinterpret_cast<uint32_t*>(shared_ + kHalo)[thread()] = 0;
    copy_weights();
    copy_header(0);
    copy_header(1);
    wait_copies();
    Sums::weights_are_there();
    __syncthreads();
    copy_list(0);
    for (int iteration = 0; tile_at(iteration) < params_.halos.count; ++iteration)
      sum_tile(iteration);
  }

 private:
  using Accumulators = HaloAccumulators[kRowTiles];

  static __device__ int thread() { return static_cast<int>(threadIdx.x); }
  static __device__ void wait_copies() {
    gpu::sm80::commit_copies();
    gpu::sm80::wait_copies<0>();
  }
  static __device__ int64_t tile_at(int iteration) {
    return blockIdx.x + int64_t{gridDim.x} * iteration;
  }
  static __device__ uint32_t below(int offset) { return (1u << offset) - 1; }

  __device__ const maps::HaloTile& header(int iteration) const {
    return reinterpret_cast<const maps::HaloTile*>(shared_ + kHeaders)[iteration % kHeaderRing];
  }

  /// Matrix o as the map numbers offsets. A row of 64 bytes is all k of a column, or, Transposed,
  /// all columns of a k; zeros where it leaves the weights.
  __device__ void copy_weights() const {
    const auto* weights = static_cast<const uint16_t*>(params_.weights);
    const int64_t row_pitch = Transposed ? params_.weight_k_pitch : params_.weight_n_pitch;
    const int first_row = Transposed ? 0 : column0_, first_in_row = Transposed ? column0_ : 0;
    const int rows = Transposed ? params_.k : params_.n;
    const int row_length = Transposed ? params_.n : params_.k;
    const int chunk = thread() % kMatrixChunks;
    const int in_row = first_in_row + chunk * 8;
    for (int i = thread() / kMatrixChunks; i < params_.kernel_volume * kMatrixRows;
         i += kThreads / kMatrixChunks) {
      const int offset = i / kMatrixRows, row = i % kMatrixRows;
      const bool inside = first_row + row < rows && in_row < row_length;
      const int weight_offset = params_.mirrored ? params_.kernel_volume - 1 - offset : offset;
      const int64_t from =
          weight_offset * params_.weight_offset_pitch + (first_row + row) * row_pitch + in_row;
      gpu::sm80::copy_16_or_zero(HaloWeightPlaces::chunk<kMatrixChunks>(base_, i, row, chunk),
                                 weights + (inside ? from : 0), inside);
    }
  }

  __device__ void copy_header(int iteration) const {
    constexpr int kCopies = kHeaderBytes / 16;
    const int64_t tile = tile_at(iteration);
    if (tile >= params_.halos.count || thread() >= kCopies) return;
    gpu::sm80::copy_16(base_ + kHeaders + iteration % kHeaderRing * kHeaderBytes + thread() * 16,
                       reinterpret_cast<const char*>(params_.halos.tiles + tile) + thread() * 16);
  }

  /// Of the first round. The iteration's header has come.
  __device__ void copy_list(int iteration) const {
    if (tile_at(iteration) >= params_.halos.count) return;
    const maps::HaloTile& tile = header(iteration);
    for (int i = thread() * 4; i < tile.slot_count; i += kThreads * 4)
      gpu::sm80::copy_16(base_ + kList + i * 4, params_.halos.slots + tile.slots_begin + i);
  }

  /// entry_of(slot): as in HaloLists::slots. Chunks beyond the depth become zeros: what earlier
  /// tiles left there may be no number, which zeros of the weights would not undo.
  template <class EntryOf>
  __device__ void copy_halo(int slot_count, EntryOf entry_of) const {
    const int chunk = thread() % kUsedChunks;
    const bool inside = chunk * 8 < params_.k;
    const char* source = static_cast<const char*>(params_.source) + chunk * 16;
    const auto pitch = static_cast<uint32_t>(params_.k) * uint32_t{sizeof(uint16_t)};
#pragma unroll 4
    for (int slot = thread() / kUsedChunks; slot < slot_count; slot += kThreads / kUsedChunks) {
      const uint32_t entry = entry_of(slot);
      if (entry == maps::HaloLists::kNoRow) continue;
      const uint32_t to = Places::slot(base_ + kHalo, slot, chunk, entry);
      if (inside)
        gpu::sm80::copy_16(to, source + uint64_t{entry >> 2} * pitch);
      else
        gpu::sm80::store_shared_16(to, {0, 0, 0, 0});
    }
  }

  /// Of all rounds.
  __device__ void copy_local(const maps::HaloTile& tile) const {
    int entries = 0;
#pragma unroll
    for (uint32_t mask : tile.masks) entries += __popc(mask);
    const auto* from =
        reinterpret_cast<const char*>(params_.halos.local) + tile.local_begin * kEntryBytes;
    for (int i = thread() * 16; i < entries * kEntryBytes; i += kThreads * 16)
      gpu::sm80::copy_16(base_ + kLocal + i, from + i);
  }

  /// Of the thread's warp, in its group's first entry.
  __device__ Locals first_locals(const maps::HaloTile& tile) const {
    int entries = 0;
    for (int g = 0; g < group_; ++g) entries += __popc(tile.masks[g]);
    const int position = thread() % kGroup / 32 * kWarpRows + thread() % 16;
    return Locals(shared_ + kLocal + entries * kEntryBytes + position * int{sizeof(uint16_t)});
  }

  /// Adds the group's next entries, one for each of `offsets`, which is the same for all its warps.
  __device__ __forceinline__ void sum(Accumulators& accumulators, uint32_t offsets,
                                      Locals& locals) const {
    for (uint32_t rest = offsets; rest; rest &= rest - 1)
      Sums::add(accumulators, locals, base_ + kHalo,
                [&] { return base_ + (__ffs(static_cast<int>(rest)) - 1) * kMatrixBytes; });
  }

  __device__ __forceinline__ void sum_tile(int iteration) const {
    wait_copies();
    __syncthreads();  // barrier 1
    const maps::HaloTile& tile = header(iteration);
    copy_halo(tile.slot_count,
              [&](int slot) { return reinterpret_cast<const uint32_t*>(shared_ + kList)[slot]; });
    copy_local(tile);
    int32_t rows[kRowTiles][2];  // of the result, -1: none
#pragma unroll
    for (int i = 0; i < kRowTiles; ++i)
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int in_group =
            thread() % kGroup / 32 * kWarpRows + i * 16 + thread() % 32 / 4 + half * 8;
        const int64_t position =
            tile_at(iteration) * kTileM + group_ * maps::kHaloGroupRows + in_group;
        rows[i][half] = position < params_.rows ? __ldg(params_.order + position) : -1;
      }
    wait_copies();
    __syncthreads();  // barrier 2
    copy_list(iteration + 1);
    copy_header(iteration + 2);

    Accumulators accumulators = {};
    uint32_t rest = __shfl_sync(~0u, tile.masks[group_], 0);
    Locals locals = first_locals(tile);
    int offset_end = __shfl_sync(~0u, tile.offset_end, 0);
    sum(accumulators, rest & below(offset_end), locals);
    if (offset_end < params_.kernel_volume && params_.halos.more) {
      // Further rounds are few: their lists come from memory as they are needed.
      const uint32_t* list = params_.halos.more + tile.more_begin;
      do {
        rest &= ~below(offset_end);
        const int slot_count = static_cast<int>(__ldg(list));
        offset_end = __shfl_sync(~0u, static_cast<int>(__ldg(list + 1)), 0);
        list += maps::kHaloRoundHeader;
        __syncthreads();  // nobody reads the round before
        copy_halo(slot_count, [&](int slot) { return __ldg(list + slot); });
        wait_copies();
        __syncthreads();
        sum(accumulators, rest & below(offset_end), locals);
        list += slot_count;
      } while (offset_end < params_.kernel_volume);
    }

    using Output = WgmmaAccumulators<E, kHaloColumns>;
#pragma unroll
    for (int i = 0; i < kRowTiles; ++i) {
      if (params_.epilogue.bias) Output::add_bias(params_, column0_, accumulators[i]);
#pragma unroll
      for (int half = 0; half < 2; ++half) {
        const int64_t row = max(rows[i][half], 0);
        const bool inside = rows[i][half] >= 0;
        if (!Transposed && params_.epilogue.has_more())
          Output::finish_row(params_, row, inside, column0_, half, accumulators[i]);
        Output::write_row(params_, row, inside, column0_, half, accumulators[i]);
      }
    }
  }

  const GatherGemmParams& params_;
  uint32_t base_;  // shared address of `shared_`
  char* shared_;
  int column0_, group_;
};

template <class Rows>
__global__ void __launch_bounds__(Rows::kThreads, Rows::kBlocks)
    halo_rows_kernel(const __grid_constant__ GatherGemmParams params) {
  gpu::wait_for_earlier_kernels_alone();
  if constexpr (gpu::sm80::kPresent)
    Rows(params).run();
  else
    __trap();
}

}  // namespace spb::plans
