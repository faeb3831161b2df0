// SPDX-License-Identifier: Apache-2.0
// One multiply tells: row r of A is 1, 2^-r, 0 ... and row c of B, a column of the product, 1, s
// 2^-c, 0 ..., so that their sum is 1 + s 2^-(r + c).
#include <vector>

#include "bench/probe_sums.h"
#include "gpu/buffer.h"
#include "gpu/device_info.h"
#include "gpu/element.cuh"
#include "gpu/launch.cuh"
#include "gpu/mma/sm90.cuh"

namespace spb::bench {
namespace {

constexpr int kSumThreads = 128, kSumRows = 64, kSumColumns = 64, kSumRowBytes = 128;
constexpr int kSumAlignment = 1024;  // of a group of swizzled rows

/// The sums, [kSumRows, kSumColumns].
GPU_KERNEL void __launch_bounds__(kSumThreads) sum_kernel(float significand, float* sums) {
  auto* shared = gpu::dynamic_shared<char>();
  const uint32_t raw = gpu::sm80::shared_address(shared);
  const uint32_t first = (raw + kSumAlignment - 1) / kSumAlignment * kSumAlignment;
  auto* bytes = reinterpret_cast<uint8_t*>(shared + (first - raw));
  const int thread = static_cast<int>(threadIdx.x);
  const auto row = static_cast<uint32_t>(thread % kSumRows);
  const bool is_column = thread >= kSumRows;
  uint8_t* own = bytes + thread * kSumRowBytes;
  for (int k = 0; k < kSumRowBytes; ++k) own[k] = 0;
  const float factor =
      ldexpf(is_column ? significand : 1.f, -min(static_cast<int>(row), kSmallestE4M3));
  uint8_t* chunk = own + row % 8 * 16;  // where the swizzle puts the first one
  chunk[0] = gpu::E4M3::store(1);
  chunk[1] = gpu::E4M3::store(factor);
  gpu::sm90::fence_for_multiply();
  gpu::sync_threads();

  float own_sums[kSumColumns / 2] = {};
  gpu::sm90::pin(own_sums);
  gpu::sm90::begin_multiplies();
  gpu::sm90::MultiplyE4M3<kSumColumns, false>::step(
      own_sums, gpu::sm90::matrix_descriptor(first),
      gpu::sm90::matrix_descriptor(first + kSumRows * kSumRowBytes));
  gpu::sm90::commit_multiplies();
  gpu::sm90::wait_multiplies<0>();
  gpu::sm90::pin(own_sums);
  for (int i = 0; i < kSumColumns / 2; ++i) {
    const int at = thread / 32 * 16 + i / 2 % 2 * 8 + thread % 32 / 4;
    sums[at * kSumColumns + i / 4 * 8 + thread % 4 * 2 + i % 2] = own_sums[i];
  }
}

}  // namespace

SumTable wgmma_sums(float significand, gpu::Allocator& allocator, const gpu::Stream& stream) {
  if (gpu::device_in_use().arch != "sm_90") return {};
  gpu::Buffer<float> sums(allocator, kSumRows * kSumColumns, gpu::Tag::output);
  constexpr int kBytes = (kSumRows + kSumColumns) * kSumRowBytes + kSumAlignment;
  gpu::launch(sum_kernel, dim3(1), dim3(kSumThreads), kBytes, stream, significand, sums.data());
  return {sums.download(stream), kSumColumns};
}

}  // namespace spb::bench
