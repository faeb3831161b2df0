// SPDX-License-Identifier: Apache-2.0
// Where tf32 rows lie in shared memory for a product across them, and which channels its sums are
// of: numbers alone, which tests walk on any machine.
#pragma once

#include <cstdint>

#include "gpu/mma/swizzle.h"

namespace spb::plans {

/// A stage holds 32 pairs. Rows of gout are turned: a warp gathers four pairs' rows at a time, 16
/// bytes a lane, TileM / 4 lanes a row: lane l has channels 4 l to 4 l + 3 of each. In shared
/// memory a row is a channel, of 128 bytes, one word for each pair: K-major, as wgmma wants tf32.
/// Channel 4 l + e lies in row e TileM / 4 + l, so that lanes side by side store to rows side by
/// side, which lie in different banks. Of 3xtf32 these are high parts; as far behind lie low ones.
///
/// Rows of in, TileN channels, stay as they are in memory, one for each pair, and go through the
/// consumers' registers. They are padded: what eight lanes of four pairs read lies in all banks.
template <int TileM, int TileN, int Parts = 1>
struct WgradTf32Places {
  static constexpr int kPairs = 32, kWarpPairs = 4, kRowLanes = TileM / 4;
  static constexpr int kPartBytes = TileM * kPairs * 4, kTurnedBytes = Parts * kPartBytes;
  static constexpr int kPitch = TileN * 4 + 32, kCopiedBytes = kPairs * kPitch;

  /// Where a lane stores its first channel of pairs 4 * chunk and following, and how far behind its
  /// next ones lie.
  static constexpr uint32_t to_turned(int lane, int chunk) {
    return gpu::sm80::swizzled_128(lane % kRowLanes, chunk);
  }
  static constexpr uint32_t kChannelStep = kRowLanes * kPairs * 4;
  /// What leads there from the place of so many chunks before, as an exclusive or.
  static constexpr uint32_t chunk_step(int chunks) { return static_cast<uint32_t>(chunks) << 4; }
  /// The channel of gout, row of the tile, that lies in a row of shared memory: wgmma's column.
  static constexpr int channel_of(int row) { return row % kRowLanes * 4 + row / kRowLanes; }

  /// Where a lane copies its 16 bytes of 128 channels of a pair's row of in.
  static constexpr uint32_t to_copied(int lane, int pair, int chunk) {
    return static_cast<uint32_t>(pair * kPitch + chunk * 512 + lane * 16);
  }

  /// A consumer has half of the columns of the tile, in blocks of 64, wgmma's rows; a thread two
  /// neighboring channels of in of each: wgmma's rows 16 (t / 32 % 4) + t % 32 / 4, and the same +
  /// 8. `thread` counts those of both consumers.
  static constexpr int kBlocks = TileN / 128;
  static constexpr int column_of(int thread, int block) {
    return thread / 128 * (TileN / 2) + block * 64 + thread % 128 / 32 * 16 + thread % 32 / 4 * 2;
  }
  /// What the thread reads of block 0, of the first eight pairs: 8 bytes of pair t % 4, and the
  /// same kPairStep on; 256 bytes on those of the next block.
  static constexpr uint32_t from_copied(int thread) {
    return static_cast<uint32_t>(thread % 4 * kPitch + column_of(thread, 0) * 4);
  }
  static constexpr uint32_t kPairStep = 4 * kPitch, kDepthStep = 8 * kPitch;

  /// Sums of a block and of wgmma's columns 16 i and following, of which a thread has those of 2 (t
  /// % 4), the next one, and these + 8, of both channels of in each.
  static constexpr int kSumsOfGroup = 8, kGroupsOfBlock = TileM / 16;
  static constexpr int kGroups = kBlocks * kGroupsOfBlock;
  struct SumGroup {
    int block, columns;
    /// Row of the tile of sums 2 i and 2 i + 1.
    constexpr int row(int thread, int i) const {
      return channel_of(columns + i / 2 * 8 + thread % 4 * 2 + i % 2);
    }
    /// Index of sum 2 i + half among the thread's.
    constexpr int sum(int i, int half) const {
      return block * (TileM / 2) + (columns / 8 + i / 2) * 4 + half * 2 + i % 2;
    }
  };
  static constexpr SumGroup group(int i) { return {i / kGroupsOfBlock, i % kGroupsOfBlock * 16}; }
};

}  // namespace spb::plans
