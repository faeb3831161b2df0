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

/// Who has the pieces of a run.
struct alignas(16) WgradRunBlocks {  // so that one load brings it
  int32_t last = 0, count = 0;
  int32_t first_piece = 0;  ///< counts of the runs before it
};

/// Pieces of one unit with equal shares, one for each of `blocks`, from the last one down: the next
/// block's begins a run later. A unit has few of these, however many blocks it is cut for. Lengths
/// are in steps, which are below 2^31, as pairs are.
struct alignas(16) WgradPieceRun {
  uint32_t begin = 0, end = 0;   ///< of the first piece; where the last one ends
  uint32_t run = 0, pitch = 0;   ///< as of WgradPiece
  uint32_t range = 0;            ///< steps of each piece that is one range, where `ranges`
  uint32_t pairs = 0;            ///< of the list
  int32_t ranges = 0;            ///< pieces are ranges, and take no turns
  int32_t offset = 0, tile = 0;  ///< of the unit, as of WgradPiece
  int32_t group = 0;
  int32_t first_slice = -1;  ///< of the first piece; -1: the unit is not cut
  int64_t list_begin = 0;
  WgradRunBlocks blocks;
};

/// Steps of a span that begins with a run and has one in every pitch.
GPU_HOST_DEVICE constexpr uint32_t steps_in_turns(int64_t span, uint32_t run, uint32_t pitch) {
  if (span <= 0) return 0;
  // A short division takes half as long.
  const uint32_t whole = static_cast<uint32_t>(span) / pitch;
  const uint32_t left = static_cast<uint32_t>(span) - whole * pitch;
  return whole * run + (left < run ? left : run);
}

/// The i-th of a run, for block blocks.last - i.
GPU_HOST_DEVICE constexpr WgradPiece piece_of(const WgradPieceRun& of, int32_t i, int tile_k) {
  const auto pairs = [&](int64_t steps) {
    return static_cast<uint32_t>(steps * tile_k < of.pairs ? steps * tile_k : of.pairs);
  };
  const int64_t begin = int64_t{of.begin} + int64_t{i} * of.run;
  WgradPiece piece;
  piece.begin = pairs(begin);
  piece.end = pairs(of.ranges ? begin + of.range : of.end);
  // The pitch may reach past the list; begin + pitch stays below 2^32.
  piece.run = of.run * static_cast<uint32_t>(tile_k);
  piece.pitch = of.pitch * static_cast<uint32_t>(tile_k);
  piece.steps =
      static_cast<int32_t>(of.ranges ? of.range : steps_in_turns(of.end - begin, of.run, of.pitch));
  piece.offset = of.offset;
  piece.tile = of.tile;
  piece.slice = of.first_slice < 0 ? -1 : of.first_slice + i;
  piece.list_begin = of.list_begin;
  piece.group = of.group;
  return piece;
}

/// What the host works out, in time of the number of units: write_pieces() (pieces.h) makes lists
/// of pieces of it on the device.
struct WgradSchedule {
  std::vector<WgradPieceRun> runs;  ///< pieces of a block stand in the order of their runs
  std::vector<WgradSum> sums;
  int64_t slices = 0;
  int pieces = 0;  ///< of all runs
  int blocks = 0;  ///< each has pieces
  /// Most pieces of a unit.
  int split() const;
};

struct WgradWork {
  std::vector<int64_t> pairs;  ///< of each offset or group; below 2^31
  int tiles = 1;               ///< of an offset's gradient, of all groups of channels
  int tile_k = 1;
  int groups = 1;                             ///< of channels, of as many tiles each
  std::span<const int64_t> list_begins = {};  ///< of WgradPiece::list_begin, by offset; empty: 0
  std::vector<int64_t> step_costs = {};       ///< of each offset or group, in some unit; empty: 1
};

/// Steps of groups of `slots` offsets cost by what they leave out: `pairs` of each group are those
/// of all its slots. Blocks whose shares cost the same stay together on their way through the rows.
void weigh_slots(WgradWork& work, int slots, std::span<const int64_t> pairs);

/// A block per unit, the longest first: blocks begin in the order of their numbers.
WgradSchedule whole_units(const WgradWork& work);

/// Equal shares for up to `blocks` blocks that run at the same time.
WgradSchedule split_units(const WgradWork& work, int blocks);

}  // namespace spb::plans
