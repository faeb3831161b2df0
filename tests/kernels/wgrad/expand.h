// SPDX-License-Identifier: Apache-2.0
// A schedule's pieces, one after the other: what write_pieces() is held against.
#pragma once

#include <vector>

#include "kernels/wgrad/schedule.h"

namespace spb::plans {

struct WgradPieceList {
  std::vector<WgradPiece> pieces;     // block by block
  std::vector<int32_t> block_pieces;  // [blocks + 1]
};

inline WgradPieceList expand(const WgradSchedule& schedule, int tile_k) {
  std::vector<std::vector<WgradPiece>> of_block(static_cast<size_t>(schedule.blocks));
  for (const WgradPieceRun& run : schedule.runs)
    for (int32_t i = 0; i < run.blocks.count; ++i)
      of_block.at(static_cast<size_t>(run.blocks.last - i)).push_back(piece_of(run, i, tile_k));
  WgradPieceList all{{}, {0}};
  for (const auto& pieces : of_block) {
    all.pieces.insert(all.pieces.end(), pieces.begin(), pieces.end());
    all.block_pieces.push_back(static_cast<int32_t>(all.pieces.size()));
  }
  return all;
}

}  // namespace spb::plans
