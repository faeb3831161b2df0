// The ring of stages between the warpgroups that fill shared memory and those that multiply from it
// (sm_90a).
#pragma once

#include "gpu/launch.cuh"
#include "gpu/mma/sm90.cuh"

namespace spb::plans {

/// `StageBytes` is a multiple of 1024, the alignment of swizzled matrices.
template <int Stages, int StageBytes>
class WgmmaRing {
 public:
  static constexpr int kAlignment = 1024;
  static constexpr size_t kSharedBytes = Stages * StageBytes + kAlignment;
  static_assert(StageBytes % kAlignment == 0);

  /// Where a thread stands in the ring.
  struct Position {
    int stage = 0;
    uint32_t parity = 0;
    __device__ void advance() {
      if (++stage == Stages) {
        stage = 0;
        parity ^= 1;
      }
    }
  };

  /// In the dynamic shared memory of the block, with 2 * Stages `barriers` in the static one. A
  /// stage is full after `fillings` arrivals and empty after one of each consumer warpgroup. All
  /// threads of the block call it.
  static __device__ WgmmaRing begin(uint64_t* barriers, int fillings, int consumers) {
    const uint32_t shared = gpu::sm80::shared_address(gpu::dynamic_shared<char>());
    const WgmmaRing ring((shared + kAlignment - 1) & ~uint32_t{kAlignment - 1},
                         gpu::sm80::shared_address(barriers));
    if (threadIdx.x == 0) {
      for (int s = 0; s < Stages; ++s) {
        gpu::sm90::init_barrier(ring.full(s), fillings);
        gpu::sm90::init_barrier(ring.empty(s), consumers);
      }
      gpu::sm90::publish_barriers();
    }
    __syncthreads();
    return ring;
  }

  __device__ uint32_t stage(int s) const { return stages_ + s * StageBytes; }
  __device__ uint32_t full(int s) const { return barriers_ + s * 8; }

  __device__ void wait_empty(const Position& at) const {
    gpu::sm90::wait_barrier(empty(at.stage), at.parity ^ 1);
  }
  /// Arrives when the thread's copies have landed.
  __device__ void filled_by_copies(const Position& at) const {
    gpu::sm90::arrive_after_copies(full(at.stage));
  }
  __device__ void wait_full(const Position& at) const {
    gpu::sm90::wait_barrier(full(at.stage), at.parity);
  }
  /// One thread of a consumer warpgroup gives stage s back; -1: none.
  __device__ void release(int s) const {
    if (s >= 0 && threadIdx.x % 128 == 0) gpu::sm90::arrive(empty(s));
  }

 private:
  __device__ WgmmaRing(uint32_t stages, uint32_t barriers) : stages_(stages), barriers_(barriers) {}
  __device__ uint32_t empty(int s) const { return barriers_ + (Stages + s) * 8; }

  uint32_t stages_, barriers_;
};

}  // namespace spb::plans
