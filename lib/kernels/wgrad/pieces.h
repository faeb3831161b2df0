// SPDX-License-Identifier: Apache-2.0
// A schedule's pieces, block by block, as wgrad kernels read them.
#pragma once

#include "gpu/stream.h"
#include "kernels/wgrad/schedule.h"

namespace spb::plans {

/// So many runs are read once by each block of threads: they may lie in page-locked memory.
inline constexpr int kRunsTogether = 128;

/// Of the device, which makes pieces of runs: thousands, which the host would take tens of
/// microseconds to write and send.
struct WgradPieceLists {
  const WgradPieceRun* runs = nullptr;
  const WgradSum* sums = nullptr;
  int32_t run_count = 0, piece_count = 0, blocks = 0, sum_count = 0;
  int tile_k = 1;
  WgradPiece* pieces = nullptr;     ///< [piece_count] of all blocks, block by block
  int32_t* block_pieces = nullptr;  ///< [blocks + 1] first piece of each block
  WgradSum* sums_copy = nullptr;    ///< [sum_count]
};
void write_pieces(const WgradPieceLists& lists, const gpu::Stream& stream);

}  // namespace spb::plans
