// SPDX-License-Identifier: Apache-2.0
// How the work tiles of a persistent kernel of fprop and dgrad come to the warps of a block. CUDA
// only.
#pragma once

#include "gpu/launch.cuh"
#include "gpu/mma/sm90.cuh"
#include "kernels/gather_gemm/params.h"

namespace spb::plans {

/// The next work tiles of a block, in shared memory: one thread asks for them, the others read
/// them, each warp for itself.
class WorkTileRing {
 public:
  static constexpr int kSlots = 4;
  struct Shared {
    uint4 work_tiles[kSlots];  // WorkTile; that type itself would be constructed by every thread
    uint64_t barriers[2 * kSlots];
  };
  struct RingState {
    int slot = 0;
    uint32_t parity = 0;
    __device__ void advance() {
      slot = (slot + 1) % kSlots;
      parity ^= slot == 0;
    }
  };

  /// A slot is free again after one arrival of each of `readers`. All threads of the block call it,
  /// before a barrier of the block.
  __device__ WorkTileRing(Shared& shared, int readers)
      : work_tiles_(shared.work_tiles), barriers_(gpu::sm80::shared_address(shared.barriers)) {
    if (threadIdx.x != 0) return;
    for (int s = 0; s < kSlots; ++s) {
      gpu::sm90::init_barrier(full(s), 1);
      gpu::sm90::init_barrier(empty(s), readers);
    }
  }

  __device__ void wait_empty(const RingState& at) const {
    gpu::sm90::wait_barrier(empty(at.slot), at.parity ^ 1);
  }
  __device__ void wait_full(const RingState& at) const {
    gpu::sm90::wait_barrier(full(at.slot), at.parity);
  }
  /// Its copy may still be under way when this returns.
  __device__ void put(const RingState& at, const WorkTile* from) const {
    gpu::sm80::copy_16(gpu::sm80::shared_address(work_tiles_ + at.slot), from);
    gpu::sm90::arrive_after_copies(full(at.slot));
  }
  __device__ void put_end(const RingState& at) const {
    work_tiles_[at.slot].w = kEnd;
    gpu::sm90::arrive(full(at.slot));
  }
  /// False behind the last work tile. Through a shuffle, where a whole warp reads: so the compiler
  /// knows that what follows is the same for all lanes.
  template <bool WholeWarp>
  __device__ bool get(const RingState& at, WorkTile& work_tile) const {
    uint4 words = work_tiles_[at.slot];
    if constexpr (WholeWarp)
      words = {__shfl_sync(~0u, words.x, 0), __shfl_sync(~0u, words.y, 0),
               __shfl_sync(~0u, words.z, 0), __shfl_sync(~0u, words.w, 0)};
    work_tile = {words.x, words.y, words.z, words.w};
    return work_tile.packed_column != kEnd;
  }
  __device__ void release(const RingState& at) const { gpu::sm90::arrive(empty(at.slot)); }

 private:
  static constexpr uint32_t kEnd = ~0u;  // work_tiles_fit() leaves it to us
  __device__ uint32_t full(int s) const { return barriers_ + s * 8; }
  __device__ uint32_t empty(int s) const { return barriers_ + (kSlots + s) * 8; }

  uint4* work_tiles_;
  uint32_t barriers_;
};

/// Brings a block's work tiles: those of its static schedule or, dynamically, whatever is next when
/// it needs one, so that blocks end together though work tiles differ in length. One thread acts;
/// where a whole warpgroup constructs it, the others are `idle`.
class TileScheduler {
 public:
  __device__ TileScheduler(const GatherGemmParams& params, const WorkTileRing& ring, bool idle)
      : params_(params), ring_(ring), idle_(idle), ended_(idle) {
    if (ended_) return;
    begin_ = params.block_begin ? params.block_begin[blockIdx.x] : blockIdx.x;
    end_ = params.block_begin ? params.block_begin[blockIdx.x + 1] : params.work_tile_count;
    request();
    request();
  }

  /// One work tile more, or the end once.
  __device__ void request() {
    if (ended_) return;
    ring_.wait_empty(at_);
    const uint32_t index = next_index();
    if (index < end_) {
      ring_.put(at_, params_.work_tiles + index);
      // For the request after this one, and not read before: the answer takes a microsecond.
      if (requested_ > 0 && !params_.block_begin)
        answer_ = gpu::sm90::count_up(params_.work_tile_counters, params_.work_tile_count);
    } else {
      ring_.put_end(at_);
      ended_ = true;
    }
    at_.advance();
    ++requested_;
  }

  /// The last block to leave sets the counters back to zero, for the next launch.
  __device__ void leave() const {
    if (idle_ || !params_.work_tile_counters) return;
    if (atomicAdd(params_.work_tile_counters + 1, 1u) + 1 != gridDim.x) return;
    params_.work_tile_counters[0] = params_.work_tile_counters[1] = 0;
  }

 private:
  /// In the list of work tiles. The first two need no counter: b and b + grid; it deals from 2 grid
  /// on.
  __device__ uint32_t next_index() const {
    if (params_.block_begin) return begin_ + requested_;
    if (requested_ < 2) return begin_ + requested_ * gridDim.x;
    return answer_ + 2 * gridDim.x;
  }

  const GatherGemmParams& params_;
  const WorkTileRing& ring_;
  WorkTileRing::RingState at_;
  uint32_t begin_ = 0, end_ = 0, requested_ = 0, answer_ = 0;
  const bool idle_;
  bool ended_;
};

/// A reader's walk through the work tiles: a warp's, or that of its first lane alone.
template <bool WholeWarp>
class WorkTiles {
 public:
  __device__ explicit WorkTiles(const WorkTileRing& ring) : ring_(ring) { next(); }
  __device__ bool valid() const { return valid_; }
  __device__ void next() {
    ring_.wait_full(at_);
    valid_ = ring_.get<WholeWarp>(at_, work_tile_);
    if (threadIdx.x % 32 == 0) ring_.release(at_);
    at_.advance();
  }
  __device__ const WorkTile& operator*() const { return work_tile_; }
  __device__ const WorkTile* operator->() const { return &work_tile_; }

 private:
  const WorkTileRing& ring_;
  WorkTileRing::RingState at_;
  WorkTile work_tile_;
  bool valid_;
};

/// By which a work tile's rows are ordered.
__device__ inline const int32_t* order_of(const GatherGemmParams& params,
                                          const WorkTile& work_tile) {
  const RowLists& lists = params.segment_count > 0 ? params.segments[work_tile.segment()] : params;
  return lists.order;
}

}  // namespace spb::plans
