// SPDX-License-Identifier: Apache-2.0
// How split-K cuts work: the same rule on host and device.
#pragma once

#include <cstdint>

#include "gpu/qualifiers.h"

namespace spb::plans {

/// First of the steps of slice s out of `split`: ceil(s * steps / split). Slices may be empty.
GPU_HOST_DEVICE constexpr int64_t slice_begin(int64_t s, int64_t split, int64_t steps) {
  return (s * steps + split - 1) / split;
}

}  // namespace spb::plans
