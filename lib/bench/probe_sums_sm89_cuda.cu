// SPDX-License-Identifier: Apache-2.0
// As probe_sums_cuda.cu, by the instruction of one warp: 16 rows, 8 columns.
#include <cstdlib>

#include "bench/probe_sums.h"
#include "gpu/buffer.h"
#include "gpu/device_info.h"
#include "gpu/element.cuh"
#include "gpu/launch.cuh"
#include "gpu/mma/sm80.cuh"

namespace spb::bench {
namespace {

constexpr int kMmaRows = 16, kMmaColumns = 8;

/// Of the words of a row (sm80.cuh): 1, significand * 2^-row, 0, 0, which lie in its first lane's.
__device__ uint32_t first_word(int lane, int row, float significand) {
  if (lane % 4 != 0) return 0;
  const float factor = ldexpf(significand, -min(row, kSmallestE4M3));
  return gpu::E4M3::store(1) | uint32_t{gpu::E4M3::store(factor)} << 8;
}

/// The sums, [kMmaRows, kMmaColumns].
GPU_KERNEL void __launch_bounds__(32) mma_sum_kernel(float significand, float* sums) {
  const int lane = static_cast<int>(threadIdx.x), row = lane / 4, column = lane % 4 * 2;
  const uint32_t a[4] = {first_word(lane, row, 1), first_word(lane, row + 8, 1), 0, 0};
  const uint32_t b[2] = {first_word(lane, row, significand), 0};  // columns lie as rows do
  float own[4];
  gpu::sm80::AtomE4M3::multiply_alone(own, a, b);
  for (int i = 0; i < 4; ++i) sums[(row + i / 2 * 8) * kMmaColumns + column + i % 2] = own[i];
}

}  // namespace

SumTable mma_sync_sums(float significand, gpu::Allocator& allocator, const gpu::Stream& stream) {
  constexpr int kFirst = 89;
  if (std::atoi(gpu::device_in_use().arch.c_str() + 3) < kFirst) return {};  // "sm_89"
  gpu::Buffer<float> sums(allocator, kMmaRows * kMmaColumns, gpu::Tag::output);
  gpu::launch(mma_sum_kernel, dim3(1), dim3(32), 0, stream, significand, sums.data());
  return {sums.download(stream), kMmaColumns};
}

}  // namespace spb::bench
