// SPDX-License-Identifier: Apache-2.0
#include "kernels/wgrad/schedule.h"

#include <algorithm>
#include <array>
#include <iterator>
#include <limits>
#include <numeric>
#include <span>
#include <utility>

namespace spb::plans {
namespace {

/// What writing and adding up one slice costs, in steps: a cut nearer to the end of a unit would
/// cost more than it evens out. Also the least that is worth a block of its own.
constexpr int64_t kSliceSteps = 12;
/// Numbers of turns that are tried for the pieces of a unit. Runs are whole steps, so that some 40
/// to 140 come of them, and the pieces' places in the list differ by a 40th of it at most.
constexpr int64_t kFewestTurns = 48, kMostTurns = 96;

int64_t steps_of(const WgradWork& work, size_t offset) {
  return (work.pairs[offset] + work.tile_k - 1) / work.tile_k;
}

std::vector<size_t> longest_first(const WgradWork& work) {
  std::vector<size_t> offsets(work.pairs.size());
  std::iota(offsets.begin(), offsets.end(), size_t{0});
  std::stable_sort(offsets.begin(), offsets.end(),
                   [&](size_t a, size_t b) { return work.pairs[a] > work.pairs[b]; });
  return offsets;
}

/// One block's share of a unit.
struct Share {
  size_t block;
  int64_t steps;
};

/// Steps of a span that begins with a run and has one in every pitch.
int64_t steps_in_turns(int64_t span, int64_t run, int64_t pitch) {
  if (span <= 0) return 0;
  // Below 2^31, as pairs are: a short division takes half as long.
  const uint32_t whole = static_cast<uint32_t>(span) / static_cast<uint32_t>(pitch);
  return whole * run + std::min(span - whole * pitch, run);
}

/// Steps of a share in each turn. A quotient by few divisors, as products: divisions are slow, and
/// there is one for each kind of share and each number of turns.
class Turns {
 public:
  explicit Turns(int64_t turns)
      : half_(turns / 2), reciprocal_((uint64_t{1} << kShift) / static_cast<uint64_t>(turns) + 1) {}
  /// Rounded to nearest; exact for steps below 2^31, as kMostTurns is below 2^(kShift - 31).
  int64_t run_of(int64_t share_steps) const {
    return static_cast<int64_t>(static_cast<uint64_t>(share_steps + half_) * reciprocal_ >> kShift);
  }

 private:
  static constexpr int kShift = 38;
  static_assert(kMostTurns < int64_t{1} << (kShift - 31));
  int64_t half_;
  uint64_t reciprocal_;
};

/// Equal shares in a row. Most blocks' are, so that numbers of turns are tried in little time.
struct EqualShares {
  int64_t steps, count;
};

void count_equal(std::span<const Share> shares, std::vector<EqualShares>& counted) {
  counted.clear();
  for (const Share& share : shares)
    if (counted.empty() || counted.back().steps != share.steps)
      counted.push_back({share.steps, 1});
    else
      ++counted.back().count;
}

/// As many turns as bring the pieces of a span nearest to their shares: a piece has as many whole
/// steps in each turn. Of equal shares in a row the first gets most, so that it alone is looked at.
int64_t choose_turns(std::span<const EqualShares> shares, int64_t span) {
  int64_t best = kFewestTurns, least = std::numeric_limits<int64_t>::max();
  for (int64_t turns = kFewestTurns; turns <= kMostTurns && least > 0; ++turns) {
    const Turns in(turns);
    int64_t pitch = 0, left = span, excess = 0;
    for (const EqualShares& equal : shares) pitch += in.run_of(equal.steps) * equal.count;
    for (const EqualShares& equal : shares) {
      const int64_t run = in.run_of(equal.steps);
      excess = std::max(excess, steps_in_turns(left, run, pitch) - equal.steps);
      if (excess >= least) break;
      left -= run * equal.count;
    }
    if (excess >= least) continue;
    least = excess;
    best = turns;
  }
  return best;
}

/// Makes a piece the first `run` of every `pitch` steps of [begin, end), all in steps. In its
/// place: a copy of what has just been written in words stalls for longer than all else here.
void set_walk(WgradPiece& piece, const WgradWork& work, size_t offset, int64_t begin, int64_t end,
              int64_t run, int64_t pitch) {
  const auto pairs = [&](int64_t steps) {
    return static_cast<uint32_t>(std::min(steps * work.tile_k, work.pairs[offset]));
  };
  piece.begin = pairs(begin);
  piece.end = pairs(end);
  // The pitch may reach past the list; begin + pitch stays below 2^32.
  piece.run = static_cast<uint32_t>(run * work.tile_k);
  piece.pitch = static_cast<uint32_t>(pitch * work.tile_k);
  piece.steps = static_cast<int32_t>(steps_in_turns(end - begin, run, pitch));
  piece.offset = static_cast<int32_t>(offset);
}

class Splitter {
 public:
  Splitter(const WgradWork& work, int64_t blocks) : work_(work), blocks_(blocks) {
    pieces_.reserve(static_cast<size_t>(blocks) + work.pairs.size());
  }

  void add_unit(size_t offset, int tile, std::span<const Share> shares) {
    const int of_group = work_.tiles / work_.groups;
    WgradSum sum{.offset = static_cast<int32_t>(offset),
                 .tile = tile % of_group,
                 .first_slice = static_cast<int32_t>(schedule_.slices),
                 .group = tile / of_group};
    const auto add = [&](size_t block, int64_t first, int64_t end, int64_t run, int64_t pitch) {
      BlockPiece& added = pieces_.emplace_back();
      added.block = block;
      set_walk(added.piece, work_, offset, first, end, run, pitch);
      added.piece.tile = sum.tile;
      added.piece.group = sum.group;
      if (shares.size() > 1) added.piece.slice = sum.first_slice + sum.slices++;
    };
    // Fewer than two steps a turn cannot be rounded well: such shares take a range each, at the
    // beginning of the list. The others take turns in the rest.
    const auto is_short = [](const Share& share) { return share.steps < 2 * kFewestTurns; };
    int64_t begin = 0;
    for (const Share& share : shares) {
      if (!is_short(share)) continue;
      const int64_t run = std::max<int64_t>(share.steps, 1);
      add(share.block, begin, begin + share.steps, run, run);
      begin += share.steps;
    }
    rest_.clear();
    std::ranges::remove_copy_if(shares, std::back_inserter(rest_), is_short);
    const int64_t steps = steps_of(work_, offset);
    count_equal(rest_, equal_);
    const Turns turns(choose_turns(equal_, steps - begin));
    int64_t pitch = 0;
    for (const EqualShares& equal : equal_) pitch += turns.run_of(equal.steps) * equal.count;
    for (const Share& share : rest_) {
      const int64_t run = turns.run_of(share.steps);
      add(share.block, begin, steps, run, pitch);
      begin += run;
    }
    if (sum.slices > 0) schedule_.sums.push_back(sum);
    schedule_.slices += sum.slices;
  }

  /// Pieces block by block, those of a block in the order in which they came. Blocks without pieces
  /// are left out; the others are renumbered.
  WgradSchedule finish() {
    std::vector<int32_t> next(static_cast<size_t>(blocks_) + 1);
    for (const auto& [block, piece] : pieces_) ++next[block + 1];
    schedule_.block_pieces.push_back(0);
    for (size_t block = 0; block + 1 < next.size(); ++block) {
      if (next[block + 1] > 0)
        schedule_.block_pieces.push_back(schedule_.block_pieces.back() + next[block + 1]);
      next[block + 1] += next[block];
    }
    schedule_.pieces.resize(pieces_.size());
    for (const auto& [block, piece] : pieces_)
      schedule_.pieces[static_cast<size_t>(next[block]++)] = piece;
    return std::move(schedule_);
  }

 private:
  struct BlockPiece {
    size_t block;
    WgradPiece piece;
  };
  const WgradWork& work_;
  int64_t blocks_;
  std::vector<BlockPiece> pieces_;
  // Of a unit; members so that their memory is taken once.
  std::vector<Share> rest_;
  std::vector<EqualShares> equal_;
  WgradSchedule schedule_;
};

/// Steps that are left of blocks' shares; the most first, among equals the last block: longest
/// first to the least loaded (LPT). Few blocks of many are ever asked for twice, so that the others
/// need no heap.
class Rooms {
 public:
  Rooms(int64_t blocks, int64_t share) : untouched_(blocks), share_(share) {}

  /// The block with most room.
  Share take() {
    if (untouched_ > 0 && (touched_.empty() || Room(share_, untouched_ - 1) > touched_.front()))
      return {static_cast<size_t>(--untouched_), share_};
    std::ranges::pop_heap(touched_);
    const auto [steps, block] = touched_.back();
    touched_.pop_back();
    return {static_cast<size_t>(block), steps};
  }
  int64_t most() const {
    const int64_t left =
        touched_.empty() ? std::numeric_limits<int64_t>::min() : touched_.front().first;
    return untouched_ > 0 ? std::max(share_, left) : left;
  }
  void put_back(size_t block, int64_t steps) {
    touched_.emplace_back(steps, static_cast<int64_t>(block));
    std::ranges::push_heap(touched_);
  }

 private:
  using Room = std::pair<int64_t, int64_t>;  // steps, block
  int64_t untouched_;                        // the first so many blocks
  int64_t share_;                            // of each of them
  std::vector<Room> touched_;                // a heap
};

}  // namespace

int WgradSchedule::split() const {
  int most = 1;
  for (const WgradSum& sum : sums) most = std::max(most, int{sum.slices});
  return most;
}

WgradSchedule whole_units(const WgradWork& work) {
  Splitter splitter(work, static_cast<int64_t>(work.pairs.size()) * work.tiles);
  size_t block = 0;
  for (const size_t offset : longest_first(work))
    for (int tile = 0; tile < work.tiles; ++tile)
      splitter.add_unit(offset, tile, std::array{Share{block++, steps_of(work, offset)}});
  return splitter.finish();
}

WgradSchedule split_units(const WgradWork& work, int blocks) {
  // An empty unit counts as a step: its zeros have to be written.
  const auto length = [&](size_t offset) { return std::max<int64_t>(steps_of(work, offset), 1); };
  int64_t total = 0;
  for (size_t o = 0; o < work.pairs.size(); ++o) total += length(o) * work.tiles;
  const int64_t shares = std::clamp<int64_t>(total / kSliceSteps, 1, std::max(blocks, 1));
  Splitter splitter(work, shares);

  // Whole units first, as long as they fit into the blocks' shares, always to the block with most
  // room: blocks that begin units of like lengths together go through the same rows together.
  Rooms rooms(shares, (total + shares - 1) / shares);
  std::vector<std::pair<size_t, int>> rest;
  for (const size_t o : longest_first(work))
    for (int tile = 0; tile < work.tiles; ++tile) {
      // A unit that leaves next to nothing, or takes next to nothing too much, fits.
      if (rooms.most() + kSliceSteps <= length(o) && work.pairs[o] > 0) {
        rest.push_back({o, tile});
        continue;
      }
      const Share room = rooms.take();
      rooms.put_back(room.block, room.steps - length(o));
      splitter.add_unit(o, tile, std::array{Share{room.block, steps_of(work, o)}});
    }

  // The rest is cut so that it fills the rooms, the largest first.
  std::vector<Share> parts;
  for (const auto& [o, tile] : rest) {
    parts.clear();
    int64_t left = steps_of(work, o);
    while (left > 0) {
      const Share room = rooms.take();
      int64_t taken = std::min(left, std::max(room.steps, kSliceSteps));
      if (left - taken < kSliceSteps) taken = left;
      parts.push_back({room.block, taken});
      rooms.put_back(room.block, room.steps - taken);
      left -= taken;
    }
    splitter.add_unit(o, tile, parts);
  }
  return splitter.finish();
}

}  // namespace spb::plans
