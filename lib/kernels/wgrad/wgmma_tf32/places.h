// SPDX-License-Identifier: Apache-2.0
// Where tf32 rows lie in shared memory for a product across them, and which channels its sums are
// of: numbers alone, which tests walk on any machine.
#pragma once

#include <cstdint>

#include "gpu/mma/swizzle.h"

namespace spb::plans {

/// A stage holds 32 pairs. B, channels of in, is blocks of 128 channels. A warp gathers four pairs'
/// rows of a block at a time, 16 bytes a lane: lane l has channels 4 l to 4 l + 3 of each. In
/// shared memory a row is a channel, of 128 bytes, one word for each pair: K-major, as wgmma wants
/// tf32. Channel 4 l + e lies in row 32 e + l, so that lanes side by side store to rows side by
/// side, which lie in different banks.
///
/// A, 128 channels of gout, stays as it is in memory, a row for each pair, and goes through the
/// consumers' registers. Rows are padded: what eight lanes of four pairs read lies in all banks.
struct WgradTf32Places {
  static constexpr int kChannels = 128, kPairs = 32, kWarpPairs = 4;
  static constexpr int kRowBytes = kPairs * 4, kBlockBytes = kChannels * kRowBytes;
  static constexpr int kPitchA = kChannels * 4 + 32, kBytesA = kPairs * kPitchA;

  /// Where a lane stores its first channel of pairs 4 * warp and following, and how far behind its
  /// next ones lie.
  static constexpr uint32_t to(int lane, int warp) { return gpu::sm80::swizzled_128(lane, warp); }
  static constexpr uint32_t kChannelStep = 32 * kRowBytes;
  /// What leads there from the place of the warp `warps` before, as an exclusive or.
  static constexpr uint32_t warp_step(int warps) { return static_cast<uint32_t>(warps) << 4; }

  /// Where a lane copies its 16 bytes of a pair's row of A.
  static constexpr uint32_t to_a(int lane, int pair) {
    return static_cast<uint32_t>(pair * kPitchA + lane * 16);
  }
  /// What a consumers' thread reads of A, of the first eight pairs: 8 bytes, its two channels of
  /// pair t % 4, and the same of the pair kPairStepA on. `thread` counts those of both consumers.
  static constexpr uint32_t from_a(int thread) {
    return static_cast<uint32_t>(thread % 4 * kPitchA + row_of(thread) * 4);
  }
  static constexpr uint32_t kPairStepA = 4 * kPitchA, kDepthStepA = 8 * kPitchA;

  /// The first of the two neighboring channels of gout, rows of the tile, that the thread has sums
  /// of: wgmma's rows 16 (t / 32) + t % 32 / 4, and the same + 8.
  static constexpr int row_of(int thread) { return thread / 32 * 16 + thread % 32 / 4 * 2; }

  /// Eight neighboring channels of in, columns of the tile, of one of these rows.
  static constexpr int kSumsOfGroup = 8;
  struct SumGroup {
    int half;            ///< which row
    int block, quarter;  ///< of the columns
    constexpr int column(int thread) const {
      return block * kChannels + quarter * 32 + thread % 4 * kSumsOfGroup;
    }
    /// Index of a sum among the thread's. wgmma's column 128 block + 32 e + 8 quarter + 2 (t % 4) +
    /// j is channel 4 (8 quarter + 2 (t % 4) + j) + e of the block.
    constexpr int sum(int i) const {
      const int j = i / 4, e = i % 4;
      return (block * 16 + e * 4 + quarter) * 4 + half * 2 + j;
    }
  };
  static constexpr SumGroup group(int i) { return {i % 2, i / 8, i / 2 % 4}; }
};

}  // namespace spb::plans
