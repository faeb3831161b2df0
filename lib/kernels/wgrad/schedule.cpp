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

/// By pairs, whatever a step costs.
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

/// Steps of a share in each turn. A quotient by few divisors, as products: divisions are slow, and
/// there is one for each kind of share and each number of turns.
class Turns {
 public:
  explicit Turns(int64_t turns)
      : half_(turns / 2), reciprocal_((uint64_t{1} << kShift) / static_cast<uint64_t>(turns) + 1) {}
  /// Rounded to nearest; exact for steps below 2^31, as kMostTurns is below 2^(kShift - 31).
  uint32_t run_of(int64_t share_steps) const {
    return static_cast<uint32_t>(static_cast<uint64_t>(share_steps + half_) * reciprocal_ >>
                                 kShift);
  }

 private:
  static constexpr int kShift = 38;
  static_assert(kMostTurns < int64_t{1} << (kShift - 31));
  int64_t half_;
  uint64_t reciprocal_;
};

uint32_t pitch_of(std::span<const Shares> shares, const Turns& turns) {
  int64_t pitch = 0;
  for (const Shares& equal : shares) pitch += turns.run_of(equal.steps) * equal.count;
  return static_cast<uint32_t>(pitch);
}

/// As many turns as bring the pieces of a span nearest to their shares: a piece has as many whole
/// steps in each turn. Of equal shares in a row the first gets most, so that it alone is looked at.
int64_t choose_turns(std::span<const Shares> shares, int64_t span) {
  int64_t best = kFewestTurns, least = std::numeric_limits<int64_t>::max();
  uint32_t pitch_before = 0;
  for (int64_t turns = kFewestTurns; turns <= kMostTurns && least > 0; ++turns) {
    const Turns in(turns);
    int64_t left = span, excess = 0;
    const uint32_t pitch = pitch_of(shares, in);
    // No run grows with the number of turns: at the same pitch all are the same.
    if (std::exchange(pitch_before, pitch) == pitch) continue;
    for (const Shares& equal : shares) {
      const uint32_t run = in.run_of(equal.steps);
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

class Splitter {
 public:
  explicit Splitter(const WgradWork& work) : work_(work) {}

  void add_unit(size_t offset, int tile, std::span<const Shares> shares) {
    const int of_group = work_.tiles / work_.groups;
    const bool cut = shares.size() > 1 || shares.front().count > 1;
    WgradSum sum{.offset = static_cast<int32_t>(offset),
                 .tile = tile % of_group,
                 .first_slice = static_cast<int32_t>(schedule_.slices),
                 .group = tile / of_group};
    WgradPieceRun unit;
    unit.pairs = static_cast<uint32_t>(work_.pairs[offset]);
    unit.offset = sum.offset;
    unit.tile = sum.tile;
    unit.group = sum.group;
    if (!work_.list_begins.empty()) unit.list_begin = work_.list_begins[offset];
    const auto add = [&](const Shares& to, WgradPieceRun of) {
      if (cut) of.first_slice = sum.first_slice + sum.slices;
      sum.slices += static_cast<int32_t>(to.count);
      of.blocks = {static_cast<int32_t>(to.last), static_cast<int32_t>(to.count), schedule_.pieces};
      schedule_.pieces += of.blocks.count;
      first_block_ = std::min(first_block_, of.blocks.last - of.blocks.count + 1);
      last_block_ = std::max(last_block_, of.blocks.last);
      schedule_.runs.push_back(of);
    };
    // Fewer than two steps a turn cannot be rounded well: such shares take a range each, at the
    // beginning of the list. The others take turns in the rest.
    const auto is_short = [](const Shares& equal) { return equal.steps < 2 * kFewestTurns; };
    for (const Shares& equal : shares) {
      if (!is_short(equal)) continue;
      unit.ranges = true;
      unit.range = static_cast<uint32_t>(equal.steps);
      unit.run = unit.pitch = std::max(unit.range, 1u);
      add(equal, unit);
      unit.begin += unit.range * static_cast<uint32_t>(equal.count);
    }
    rest_.clear();
    std::ranges::remove_copy_if(shares, std::back_inserter(rest_), is_short);
    if (!rest_.empty()) {
      unit.ranges = false;
      unit.end = static_cast<uint32_t>(steps_of(work_, offset));
      const Turns turns(choose_turns(rest_, int64_t{unit.end} - unit.begin));
      unit.pitch = pitch_of(rest_, turns);
      for (const Shares& equal : rest_) {
        unit.run = turns.run_of(equal.steps);
        add(equal, unit);
        unit.begin += unit.run * static_cast<uint32_t>(equal.count);
      }
    }
    if (!cut) return;
    schedule_.sums.push_back(sum);
    schedule_.slices += sum.slices;
  }

  /// Blocks without pieces are those that nothing was taken from: the first ones (class Rooms).
  WgradSchedule finish() {
    for (WgradPieceRun& run : schedule_.runs) run.blocks.last -= first_block_;
    schedule_.blocks = last_block_ - first_block_ + 1;
    return std::move(schedule_);
  }

 private:
  const WgradWork& work_;
  std::vector<Shares> rest_;  // of a unit; a member so that its memory is taken once
  int32_t first_block_ = std::numeric_limits<int32_t>::max(), last_block_ = 0;
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

void weigh_slots(WgradWork& work, int slots, std::span<const int64_t> pairs) {
  // The row of gout and what a step takes besides are as much as all slots but one: the better of
  // what was tried on an H200 (turns.txt of reports/nvidia-h200/flexgemm-rest1).
  constexpr int64_t kSlotCost = 64;
  work.step_costs.clear();
  for (size_t group = 0; group < work.pairs.size(); ++group)
    work.step_costs.push_back(kSlotCost * (slots - 1) +
                              kSlotCost * pairs[group] / std::max<int64_t>(work.pairs[group], 1));
}

WgradSchedule whole_units(const WgradWork& work) {
  Splitter splitter(work);
  int64_t block = 0;
  for (const size_t offset : longest_first(work))
    for (int tile = 0; tile < work.tiles; ++tile)
      splitter.add_unit(offset, tile, std::array{Shares{block++, 1, steps_of(work, offset)}});
  return splitter.finish();
}

WgradSchedule split_units(const WgradWork& work, int blocks) {
  const auto cost_of = [&](size_t offset) {
    return work.step_costs.empty() ? int64_t{1} : work.step_costs[offset];
  };
  // An empty unit counts as a step: its zeros have to be written.
  const auto length = [&](size_t offset) {
    return std::max<int64_t>(steps_of(work, offset), 1) * cost_of(offset);
  };
  int64_t total = 0, total_steps = 0;
  for (size_t o = 0; o < work.pairs.size(); ++o) {
    total += length(o) * work.tiles;
    total_steps += length(o) / cost_of(o) * work.tiles;
  }
  const int64_t mean_cost = std::max<int64_t>(total / std::max<int64_t>(total_steps, 1), 1);
  const int64_t slice_cost = kSliceSteps * mean_cost;
  const int64_t shares = std::clamp<int64_t>(total / slice_cost, 1, std::max(blocks, 1));
  Splitter splitter(work);

  // Whole units first, as long as they fit into the blocks' shares, always to the block with most
  // room: blocks that begin units of like lengths together go through the same rows together.
  Rooms rooms(shares, (total + shares - 1) / shares);
  std::vector<std::pair<size_t, int>> rest;
  for (const size_t o : longest_first(work))
    for (int tile = 0; tile < work.tiles; ++tile) {
      const auto [room, last, count] = rooms.most();
      // A unit that leaves next to nothing, or takes next to nothing too much, fits.
      if (room + slice_cost <= length(o) && work.pairs[o] > 0) {
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
      // Rounded up, so that no crumbs are left for the last blocks.
      const int64_t share = std::max((room + cost_of(o) - 1) / cost_of(o), kSliceSteps);
      // As many blocks at a time as leave a slice's worth; the last one takes what there is.
      const int64_t full = std::min(count, (left - kSliceSteps) / share);
      const Shares part = full > 0 ? Shares{last, full, share} : Shares{last, 1, left};
      rooms.take(part.count, part.steps * cost_of(o));
      left -= part.count * part.steps;
      parts.push_back(part);
    }
    splitter.add_unit(o, tile, parts);
  }
  return splitter.finish();
}

}  // namespace spb::plans
