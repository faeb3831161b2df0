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

/// Equal shares of a unit, one for each of the blocks from `last` down: most blocks' are equal, so
/// that a unit has few of these however many blocks it is cut for.
struct Shares {
  int64_t last, count;  // of blocks
  int64_t steps;        // of each
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

/// As many turns as bring the pieces of a span nearest to their shares: a piece has as many whole
/// steps in each turn. Of equal shares in a row the first gets most, so that it alone is looked at.
int64_t choose_turns(std::span<const Shares> shares, int64_t span) {
  int64_t best = kFewestTurns, least = std::numeric_limits<int64_t>::max();
  for (int64_t turns = kFewestTurns; turns <= kMostTurns && least > 0; ++turns) {
    const Turns in(turns);
    int64_t pitch = 0, left = span, excess = 0;
    for (const Shares& equal : shares) pitch += in.run_of(equal.steps) * equal.count;
    for (const Shares& equal : shares) {
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

/// Pieces of one unit, one for each block of `shares`, in steps: [begin, begin + run), and as much
/// of every pitch behind it up to `end`, or, of ranges, no more. The next block's begins a run
/// later.
struct PieceRun {
  Shares shares;
  int64_t begin, end, run, pitch;
  bool ranges;
  WgradPiece unit;  // what they have in common; the first one's slice, if any
};

class Splitter {
 public:
  Splitter(const WgradWork& work, int64_t blocks) : work_(work), blocks_(blocks) {}

  void add_unit(size_t offset, int tile, std::span<const Shares> shares) {
    const int of_group = work_.tiles / work_.groups;
    const bool cut = shares.size() > 1 || shares.front().count > 1;
    WgradSum sum{.offset = static_cast<int32_t>(offset),
                 .tile = tile % of_group,
                 .first_slice = static_cast<int32_t>(schedule_.slices),
                 .group = tile / of_group};
    WgradPiece unit;
    unit.offset = sum.offset;
    unit.tile = sum.tile;
    unit.group = sum.group;
    if (!work_.list_begins.empty()) unit.list_begin = work_.list_begins[offset];
    const auto add = [&](const Shares& to, int64_t begin, int64_t end, int64_t run, int64_t pitch,
                         bool ranges) {
      if (cut) unit.slice = sum.first_slice + sum.slices;
      sum.slices += static_cast<int32_t>(to.count);
      runs_.push_back({to, begin, end, run, pitch, ranges, unit});
    };
    // Fewer than two steps a turn cannot be rounded well: such shares take a range each, at the
    // beginning of the list. The others take turns in the rest.
    const auto is_short = [](const Shares& equal) { return equal.steps < 2 * kFewestTurns; };
    int64_t begin = 0;
    for (const Shares& equal : shares) {
      if (!is_short(equal)) continue;
      const int64_t run = std::max<int64_t>(equal.steps, 1);
      add(equal, begin, begin + equal.steps, run, run, true);
      begin += equal.steps * equal.count;
    }
    rest_.clear();
    std::ranges::remove_copy_if(shares, std::back_inserter(rest_), is_short);
    const int64_t steps = steps_of(work_, offset);
    const Turns turns(choose_turns(rest_, steps - begin));
    int64_t pitch = 0;
    for (const Shares& equal : rest_) pitch += turns.run_of(equal.steps) * equal.count;
    for (const Shares& equal : rest_) {
      const int64_t run = turns.run_of(equal.steps);
      add(equal, begin, steps, run, pitch, false);
      begin += run * equal.count;
    }
    if (!cut) return;
    schedule_.sums.push_back(sum);
    schedule_.slices += sum.slices;
  }

  /// Pieces block by block, those of a block in the order in which they came. Blocks without pieces
  /// are left out; the others are renumbered.
  WgradSchedule finish() {
    std::vector<int32_t> next(static_cast<size_t>(blocks_) + 1);
    for (const PieceRun& of : runs_)
      for (int64_t i = 0; i < of.shares.count; ++i)
        ++next[static_cast<size_t>(of.shares.last - i) + 1];
    schedule_.block_pieces.reserve(next.size());
    schedule_.block_pieces.push_back(0);
    for (size_t block = 0; block + 1 < next.size(); ++block) {
      if (next[block + 1] > 0)
        schedule_.block_pieces.push_back(schedule_.block_pieces.back() + next[block + 1]);
      next[block + 1] += next[block];
    }
    schedule_.pieces.resize(static_cast<size_t>(next.back()));
    for (const PieceRun& of : runs_) write(of, next);
    return std::move(schedule_);
  }

 private:
  /// `next`: where in the list each block's next piece stands.
  void write(const PieceRun& of, std::vector<int32_t>& next) {
    const int64_t count = work_.pairs[static_cast<size_t>(of.unit.offset)];
    const auto pairs = [&](int64_t steps) {
      return static_cast<uint32_t>(std::min(steps * work_.tile_k, count));
    };
    int64_t begin = of.begin;
    // Whole pitches of the piece's span and what is left over: a division for each piece would take
    // longer than all else here.
    int64_t whole = (of.end - begin) / of.pitch, left = (of.end - begin) % of.pitch;
    for (int64_t i = 0; i < of.shares.count; ++i, begin += of.run) {
      const auto block = static_cast<size_t>(of.shares.last - i);
      WgradPiece& piece = schedule_.pieces[static_cast<size_t>(next[block]++)];
      piece = of.unit;
      if (of.unit.slice >= 0) piece.slice = of.unit.slice + static_cast<int32_t>(i);
      piece.begin = pairs(begin);
      piece.end = pairs(of.ranges ? begin + of.shares.steps : of.end);
      // The pitch may reach past the list; begin + pitch stays below 2^32.
      piece.run = static_cast<uint32_t>(of.run * work_.tile_k);
      piece.pitch = static_cast<uint32_t>(of.pitch * work_.tile_k);
      piece.steps = static_cast<int32_t>(
          of.ranges ? of.shares.steps
                    : std::max<int64_t>(whole * of.run + std::min(left, of.run), 0));
      left -= of.run;
      if (left < 0) {
        left += of.pitch;
        --whole;
      }
    }
  }

  const WgradWork& work_;
  int64_t blocks_;
  std::vector<PieceRun> runs_;
  std::vector<Shares> rest_;  // of a unit; a member so that its memory is taken once
  WgradSchedule schedule_;
};

/// Blocks next to each other, from `last` down, with as many steps left of their shares.
struct Room {
  int64_t steps, last, count;
  friend auto operator<=>(const Room&, const Room&) = default;
};

/// What is left of all blocks' shares; the most first, among equals the last block: longest first
/// to the least loaded (LPT).
class Rooms {
 public:
  Rooms(int64_t blocks, int64_t share) : heap_{{share, blocks - 1, blocks}} {}

  const Room& most() const { return heap_.front(); }
  /// The last `count` blocks of those with most room have `steps` less each.
  void take(int64_t count, int64_t steps) {
    std::ranges::pop_heap(heap_);
    const Room most = heap_.back();
    heap_.back() = {most.steps - steps, most.last, count};
    std::ranges::push_heap(heap_);
    if (count == most.count) return;
    heap_.push_back({most.steps, most.last - count, most.count - count});
    std::ranges::push_heap(heap_);
  }

 private:
  std::vector<Room> heap_;
};

}  // namespace

int WgradSchedule::split() const {
  int most = 1;
  for (const WgradSum& sum : sums) most = std::max(most, int{sum.slices});
  return most;
}

WgradSchedule whole_units(const WgradWork& work) {
  Splitter splitter(work, static_cast<int64_t>(work.pairs.size()) * work.tiles);
  int64_t block = 0;
  for (const size_t offset : longest_first(work))
    for (int tile = 0; tile < work.tiles; ++tile)
      splitter.add_unit(offset, tile, std::array{Shares{block++, 1, steps_of(work, offset)}});
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
      const auto [room, last, count] = rooms.most();
      // A unit that leaves next to nothing, or takes next to nothing too much, fits.
      if (room + kSliceSteps <= length(o) && work.pairs[o] > 0) {
        rest.push_back({o, tile});
        continue;
      }
      rooms.take(1, length(o));
      splitter.add_unit(o, tile, std::array{Shares{last, 1, steps_of(work, o)}});
    }

  // The rest is cut so that it fills the rooms, the largest first.
  std::vector<Shares> parts;
  for (const auto& [o, tile] : rest) {
    parts.clear();
    int64_t left = steps_of(work, o);
    while (left > 0) {
      const auto [room, last, count] = rooms.most();
      const int64_t share = std::max(room, kSliceSteps);
      // As many blocks at a time as leave a slice's worth; the last one takes what there is.
      const int64_t full = std::min(count, (left - kSliceSteps) / share);
      const Shares part = full > 0 ? Shares{last, full, share} : Shares{last, 1, left};
      rooms.take(part.count, part.steps);
      left -= part.count * part.steps;
      parts.push_back(part);
    }
    splitter.add_unit(o, tile, parts);
  }
  return splitter.finish();
}

}  // namespace spb::plans
