// SPDX-License-Identifier: Apache-2.0
// How a device's matrix instructions add up 8-bit floats.
#pragma once

#include <string>
#include <vector>

#include "gpu/allocator.h"
#include "gpu/stream.h"

namespace spb::bench {

struct SumBits {
  std::string instruction;
  int bits = 0;          ///< kept of an addend, from the leading bit of the largest on
  bool or_more = false;  ///< all were kept that products of e4m3 can tell
  bool cut_off = true;   ///< the rest is dropped; else rounded
};

/// Of e4m3, of each instruction that the device has and the program has code for.
std::vector<SumBits> e4m3_sum_bits(gpu::Allocator& allocator, const gpu::Stream& stream);

/// The smallest e4m3 is 2^-9.
inline constexpr int kSmallestE4M3 = 9;

/// Sums of two products of e4m3 by one instruction: 1 + significand * 2^-(r + c), at row r and
/// column c; from r = kSmallestE4M3 on, and c likewise, the rows are the same.
struct SumTable {
  std::vector<float> sums;  ///< empty where there is no such instruction
  int columns = 0;

  int most_places() const;
  float at(int places) const;  ///< r + c
};
SumTable wgmma_sums(float significand, gpu::Allocator& allocator, const gpu::Stream& stream);
SumTable mma_sync_sums(float significand, gpu::Allocator& allocator, const gpu::Stream& stream);

}  // namespace spb::bench
