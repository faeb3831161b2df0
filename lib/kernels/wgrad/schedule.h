// SPDX-License-Identifier: Apache-2.0
// Who computes which part of a weight gradient.
//
// A unit is one tile of the gradient of one offset, or of a group of neighboring offsets: a sum
// over its pairs, in steps of TileK. Blocks get equal shares of all steps, like stream-K (Osama et
// al., 2023): whole units as long as they fit, then parts of the others. A share is the steps of a
// unit that one block takes; its piece says which pairs these are; a slice is the TileM x TileN
// fp32 partial sums that a piece of a cut unit writes. Slices are added up afterwards in a fixed
// order.
//
// The pieces of a unit are interleaved: each takes `run` pairs, then skips to the next multiple of
// `pitch`. Of three, along the list: AAABBCAAABBCAAABBC... So blocks move through the rows together
// and find in cache what others have read. Shares of few steps take one range instead, at the
// list's beginning.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/qualifiers.h"

namespace spb::plans {

/// Pairs of one offset or group: [begin + r * pitch, + run) for r = 0, 1, ... as far as `end`.
/// Counted from the offset's first; run and pitch are whole steps.
struct alignas(16) WgradPiece {  // so that few loads bring it
  uint32_t begin = 0, end = 0, run = 0, pitch = 0;
  int32_t steps = 0;   ///< the walk's length
  int32_t offset = 0;  ///< or group of `slots` neighboring offsets, from offset * slots on
  int32_t tile = 0;    ///< of the group's gradient: c_out tile * c_in tiles + c_in tile
  int32_t slice = -1;  ///< the slice its sums go to; -1: it is the whole unit and writes `gw`
  /// Where its pairs begin among all: WgradParams::offset_begin[offset], copied here, so that the
  /// kernel saves a read that depends on another.
  int64_t list_begin = 0;
  int32_t group = 0;  ///< of channels
};

/// A unit that is the sum of slices [first_slice, first_slice + slices).
struct WgradSum {
  int32_t offset = 0, tile = 0, first_slice = 0, slices = 0;
  int32_t group = 0;  ///< of channels
};

/// The steps of a piece: pairs [at, min(at + tile_k, end)), `piece.steps` times.
struct PairWalk {
  uint32_t at, end, run, pitch, run_end;

  GPU_HOST_DEVICE static constexpr PairWalk over(const WgradPiece& piece) {
    return {piece.begin, piece.end, piece.run, piece.pitch, piece.begin + piece.run};
  }
  GPU_HOST_DEVICE constexpr void next(uint32_t tile_k) {
    at += tile_k;
    const bool over = at >= run_end;
    at += over ? pitch - run : 0;
    run_end += over ? pitch : 0;
  }
};

struct WgradSchedule {
  std::vector<WgradPiece> pieces;     ///< of all blocks, block by block
  std::vector<int32_t> block_pieces;  ///< [blocks + 1] first piece of each block
  std::vector<WgradSum> sums;
  int64_t slices = 0;
  int blocks() const { return static_cast<int>(block_pieces.size()) - 1; }
  /// Most pieces of a unit.
  int split() const;
};

struct WgradWork {
  std::vector<int64_t> pairs;  ///< of each offset or group; below 2^31
  int tiles = 1;               ///< of an offset's gradient, of all groups of channels
  int tile_k = 1;
  int groups = 1;                             ///< of channels, of as many tiles each
  std::span<const int64_t> list_begins = {};  ///< of WgradPiece::list_begin, by offset; empty: 0
};

/// A block per unit, the longest first: blocks begin in the order of their numbers.
WgradSchedule whole_units(const WgradWork& work);

/// Equal shares for up to `blocks` blocks that run at the same time.
WgradSchedule split_units(const WgradWork& work, int blocks);

}  // namespace spb::plans
