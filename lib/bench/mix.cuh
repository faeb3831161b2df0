// SPDX-License-Identifier: Apache-2.0
// A hash of counters: random numbers that need no memory.
#pragma once

#include <cstdint>

#include "gpu/runtime.h"

namespace spb::bench {

/// The finalizer of SplitMix64 (Steele, Lea, Flood, OOPSLA 2014).
__device__ inline uint64_t mix(uint64_t z) {
  z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
  z = (z ^ z >> 27) * 0x94d049bb133111eb;
  return z ^ z >> 31;
}

}  // namespace spb::bench
