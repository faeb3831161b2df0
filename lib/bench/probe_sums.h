// SPDX-License-Identifier: Apache-2.0
// How a device's matrix instruction adds up 8-bit floats.
#pragma once

#include <optional>

#include "gpu/allocator.h"
#include "gpu/stream.h"

namespace spb::bench {

struct SumBits {
  int bits = 0;         ///< kept of an addend, from the leading bit of the largest on
  bool cut_off = true;  ///< the rest is dropped; else rounded
};

/// Of e4m3, or nothing where the device has no such instruction, or this program no code for it:
/// only wgmma of sm_90 so far.
std::optional<SumBits> e4m3_sum_bits(gpu::Allocator& allocator, const gpu::Stream& stream);

}  // namespace spb::bench
