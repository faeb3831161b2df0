// SPDX-License-Identifier: Apache-2.0
// What the warps of a block of wgrad by wgmma and halos share (kernel.cuh). CUDA only.
#pragma once

#include "kernels/pipeline.cuh"
#include "kernels/wgrad/halo/wgmma/places.h"
#include "kernels/wgrad/params.h"

namespace spb::plans {

class HaloWgmmaBlock {
  using Places = HaloWgmmaWgradPlaces;

 public:
  static constexpr int kGroups = maps::kHaloGroups, kGroupRows = maps::kHaloGroupRows;
  static constexpr int kStages = Places::kStages, kGoutStages = Places::kGoutStages;
  static constexpr int kGatherThreads = 128, kMultiplyThreads = 128 * Places::kConsumers;
  static constexpr int kThreads = kGatherThreads + kMultiplyThreads;
  /// Of a stage's first mask: it is of its tile's last round.
  static constexpr uint32_t kLastRound = uint32_t{1} << 31;

  /// In static shared memory.
  struct Shared {
    uint64_t full_halo[kStages], empty_halo[kStages];
    uint64_t full_gout[kGoutStages], empty_gout[kGoutStages];
    uint32_t masks[kStages][kGroups];  // bit j: the part's j-th offset
    int32_t offsets[Places::kOffsetsOfPart];
  };

  const WgradParams& params;
  Shared& shared;
  const int part, slice;

  __device__ HaloWgmmaBlock(const WgradParams& of, Shared& in)
      : params(of),
        shared(in),
        part(static_cast<int>(blockIdx.x) % Places::parts(of.kernel_volume)),
        slice(static_cast<int>(blockIdx.x) / Places::parts(of.kernel_volume)) {
    const uint32_t begin = gpu::sm80::shared_address(gpu::dynamic_shared<char>());
    base_ = (begin + Places::kAlignment - 1) & ~uint32_t{Places::kAlignment - 1};
  }

  /// All threads of the block call it.
  __device__ void begin() const {
    const auto thread = static_cast<int>(threadIdx.x);
    if (thread == 0) {
      for (int s = 0; s < kStages; ++s) {
        gpu::sm90::init_barrier(at(shared.full_halo[s]), kGatherThreads + kGroups);
        gpu::sm90::init_barrier(at(shared.empty_halo[s]), kMultiplyThreads);
      }
      for (int s = 0; s < kGoutStages; ++s) {
        gpu::sm90::init_barrier(at(shared.full_gout[s]), kGatherThreads);
        gpu::sm90::init_barrier(at(shared.empty_gout[s]), kMultiplyThreads / 32);
      }
      gpu::sm90::publish_barriers();
    }
    constexpr int kZeros = 2 * HaloPlaces::kRowBytes / 16;  // chunks of a plane's first two slots
    if (thread < kStages * Places::kPlanes * kZeros)
      gpu::sm80::store_shared_16(stage(thread / (Places::kPlanes * kZeros)) +
                                     thread / kZeros % Places::kPlanes * Places::kPlaneBytes +
                                     thread % kZeros * 16,
                                 {0, 0, 0, 0});
    if (thread < Places::kOffsetsOfPart)
      shared.offsets[thread] = Places::offset(params.kernel_volume, part, thread);
    __syncthreads();
  }

  static __device__ uint32_t at(const uint64_t& barrier) {
    return gpu::sm80::shared_address(&barrier);
  }
  __device__ uint32_t stage(int s) const { return base_ + Places::kHalo + s * Places::kStageBytes; }
  __device__ uint32_t gout_stage(int s) const {
    return base_ + Places::kGout + s * Places::kGoutBytes;
  }

 private:
  uint32_t base_;
};

}  // namespace spb::plans
