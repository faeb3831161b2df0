// SPDX-License-Identifier: Apache-2.0
#pragma once

#include "gpu/launch.cuh"

namespace spb::maps {

/// Sum of the lanes up to this one.
template <class T>
__device__ T sum_lanes(T value) {
  for (int step = 1; step < gpu::warp_size(); step *= 2) {
    const T other = gpu::shuffle(value, gpu::lane() >= step ? gpu::lane() - step : 0);
    if (gpu::lane() >= step) value += other;
  }
  return value;
}

}  // namespace spb::maps
