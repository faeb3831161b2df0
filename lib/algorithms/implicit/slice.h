// How split-K cuts work: the same rule on host and device.
#pragma once

#include <cstdint>

#include "gpu/runtime.h"

namespace spb::plans {

/// First of the steps of slice s out of `split`: ceil(s * steps / split). Slices may be empty.
__host__ __device__ constexpr int64_t slice_begin(int64_t s, int64_t split, int64_t steps) {
  return (s * steps + split - 1) / split;
}

/// The power of two of slices that gives every multiprocessor about two blocks; at least 2 and at
/// most 64, but never more than steps.
constexpr int split_factor(int64_t tiles, int64_t steps, int multiprocessors) {
  constexpr int kMostSlices = 64, kBlocksPerMultiprocessor = 2;
  int split = 2;
  while (split < kMostSlices && split * tiles < int64_t{kBlocksPerMultiprocessor} * multiprocessors)
    split *= 2;
  while (split > 1 && split > steps) split /= 2;
  return split;
}

}  // namespace spb::plans
