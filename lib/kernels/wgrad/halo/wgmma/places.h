// SPDX-License-Identifier: Apache-2.0
// Which offsets a block and a warpgroup of wgrad by wgmma and halos have, and where what they read
// lies in shared memory: numbers alone, which tests walk on any machine.
#pragma once

#include <cstdint>

#include "gpu/mma/swizzle.h"
#include "kernels/common/halo_places.h"
#include "kernels/wgrad/halo/places.h"

namespace spb::plans {

struct HaloWgmmaWgradPlaces {
  /// A block's registers hold the sums of nine offsets of 64 x 64 channels, those of a warpgroup of
  /// three.
  static constexpr int kConsumers = 3, kOffsetsOfConsumer = 3;
  static constexpr int kOffsetsOfPart = kConsumers * kOffsetsOfConsumer;
  static constexpr int kMostOffsets = HaloWgradPlaces::kMostOffsets, kNone = HaloWgradPlaces::kNone;
  static constexpr int kStages = 2, kGoutStages = 6;

  /// Blocks that share a tile.
  static constexpr int parts(int kernel_volume) {
    return (kernel_volume + kOffsetsOfPart - 1) / kOffsetsOfPart;
  }
  /// The j-th offset of a part. Of 3 x 3 x 3, so that parts and their warpgroups have about as many
  /// groups: faces go with an edge and a corner, the center with two corners.
  static constexpr int offset(int kernel_volume, int part, int j) {
    constexpr int8_t kOf27[3][kOffsetsOfPart] = {{13, 0, 26, 4, 1, 2, 22, 25, 24},
                                                 {9, 11, 15, 10, 3, 6, 12, 5, 8},
                                                 {17, 19, 21, 14, 7, 18, 16, 23, 20}};
    if (kernel_volume == kMostOffsets) return kOf27[part][j];
    const int own = part + j * parts(kernel_volume);
    return own < kernel_volume ? own : kNone;
  }

  // A row of 64 channels lies in two planes, which are halos of 32 each.
  static constexpr int kChannels = 64, kChunks = kChannels / 8, kPlanes = 2;
  static constexpr int kPlaneBytes = maps::kHaloSlots * HaloPlaces::kRowBytes;
  static constexpr int kEntries = kOffsetsOfPart * maps::kHaloGroups;
  static constexpr int kLocal = kPlanes * kPlaneBytes;
  static constexpr int kStageBytes = kLocal + kEntries * HaloPlaces::kEntryBytes;
  /// [64 rows][64 channels] of a group of gout.
  static constexpr int kGoutBytes = maps::kHaloGroupRows * kChannels * 2;
  static constexpr int kGout = 0, kHalo = kGoutStages * kGoutBytes, kAlignment = 1024;
  static constexpr int kSharedBytes = kAlignment + kHalo + kStages * kStageBytes;

  /// A lane of those that copy has a chunk of one of four rows. Eight lanes' chunks are those of
  /// two rows of one plane, so that stores of a halo without gaps meet in no bank.
  static constexpr int copied_row(int lane) { return lane / 16 * 2 + lane / 4 % 2; }
  static constexpr int copied_chunk(int lane) { return lane / 8 % 2 * 4 + lane % 4; }
  /// Bits of a lane that are those of its row, and the lane of row 0 that has a chunk.
  static constexpr uint32_t kRowBits = 0b10100;
  static constexpr int copying(int chunk) { return chunk / 4 * 8 + chunk % 4; }
  static constexpr uint32_t slot(uint32_t halo, int slot, int chunk, uint32_t entry) {
    constexpr int kOfPlane = HaloPlaces::kChunks;
    return HaloPlaces::slot(halo + chunk / kOfPlane * kPlaneBytes, slot, chunk % kOfPlane, entry);
  }
  /// Eight lanes copy a row of gout: bits of a lane that are those of its row.
  static constexpr uint32_t kGoutRowBits = 0b11000;
  /// A chunk of a row of a group of gout, as wgmma reads it.
  static constexpr uint32_t gout(uint32_t group, int row, int chunk) {
    return group + gpu::sm80::swizzled_128(row, chunk);
  }
  /// What a lane gives ldmatrix.x4 for operand A of wgmma, turned: 16 channels of its warp by 16
  /// rows. The row of the instruction, and what its local index leads to.
  static constexpr int row_a(int lane) { return lane / 16 * 8 + lane % 8; }
  static constexpr uint32_t operand_a(uint32_t halo, uint32_t local, int warp, int lane) {
    return HaloPlaces::row(halo + warp / 2 * kPlaneBytes, local, warp % 2 * 2 + lane / 8 % 2);
  }
};

}  // namespace spb::plans
