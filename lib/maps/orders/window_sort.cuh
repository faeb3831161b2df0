// SPDX-License-Identifier: Apache-2.0
// How a block sorts a window of rows along the z curve.
#pragma once

#include "gpu/launch.cuh"
#include "maps/orders/z_order.h"

namespace spb::maps {

inline constexpr int kPlaceBits = 8;  // of a place in the window, below its key
static_assert(1 << kPlaceBits == kZWindow);

/// The row at the thread's place in the window of `segment` that begins at row `first`, -1 beyond
/// the last. Called by kZWindow threads, `shared` has room for two words of each. A bitonic network
/// (K. E. Batcher, "Sorting networks and their applications", 1968), with the rows' places as the
/// low bits of their keys.
__device__ inline int32_t row_in_window(const WindowSort& sort, int64_t segment, int64_t first,
                                        int64_t n, uint32_t* shared) {
  const auto thread = static_cast<int32_t>(threadIdx.x);
  auto* rows = reinterpret_cast<int32_t*>(shared + kZWindow);
  const auto count = static_cast<int32_t>(n - first < kZWindow ? n - first : kZWindow);
  uint32_t key = ~uint32_t{0};  // behind all rows
  if (thread < count) {
    const int32_t row = sort.along[first + thread];
    rows[thread] = row;
    key = static_cast<uint32_t>(thread);
    if (sort.keys) key |= sort.keys[segment * n + row] >> sort.dropped_bits << kPlaceBits;
  }
  for (int32_t size = 2; size <= kZWindow; size *= 2)
    for (int32_t stride = size / 2; stride > 0; stride /= 2) {
      uint32_t other;
      if (stride < gpu::warp_size()) {
        other = gpu::shuffle_xor(key, stride);
      } else {
        gpu::sync_threads();
        shared[thread] = key;
        gpu::sync_threads();
        other = shared[thread ^ stride];
      }
      const bool ascending = (thread & size) == 0, lower = (thread & stride) == 0;
      key = (ascending == lower) == (key < other) ? key : other;
    }
  return thread < count ? rows[key & (kZWindow - 1)] : -1;
}

}  // namespace spb::maps
