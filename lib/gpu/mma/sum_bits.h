// SPDX-License-Identifier: Apache-2.0
// How many bits the sums of matrix instructions have, where they have fewer than fp32.
#pragma once

namespace spb::gpu {

/// Of e4m3, by wgmma and by mma.sync: addends, the sum so far among them, are cut off so many bits
/// from the leading one of the largest on. Measured on an H200 (bench/probe_sums.h); no document of
/// NVIDIA says it.
inline constexpr int kE4m3SumBits = 14;

}  // namespace spb::gpu
