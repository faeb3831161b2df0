#include "kernels/wgrad/schedule.h"

#include <algorithm>
#include <iterator>
#include <limits>
#include <numeric>
#include <queue>

namespace spb::plans {
namespace {

/// What writing and adding up one slice costs, in steps: a cut nearer to the end of a unit would
/// cost more than it evens out. Also the least that is worth a block of its own.
constexpr int64_t kSliceSteps = 12;
/// Turns of each piece of a unit: the pieces' places in the list differ by 1/48 of it at most.
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
  return span > 0 ? span / pitch * run + std::min(span % pitch, run) : 0;
}

int64_t run_of(const Share& share, int64_t turns) { return (share.steps + turns / 2) / turns; }

/// As many turns as bring the pieces of a span nearest to their shares: a piece has as many whole
/// steps in each turn.
int64_t choose_turns(const std::vector<Share>& shares, int64_t span) {
  int64_t best = kFewestTurns, least = std::numeric_limits<int64_t>::max();
  for (int64_t turns = kFewestTurns; turns <= kMostTurns && least > 0; ++turns) {
    int64_t pitch = 0, left = span, excess = 0;
    for (const Share& share : shares) pitch += run_of(share, turns);
    for (const Share& share : shares) {
      const int64_t run = run_of(share, turns);
      excess = std::max(excess, steps_in_turns(left, run, pitch) - share.steps);
      left -= run;
    }
    if (excess >= least) continue;
    least = excess;
    best = turns;
  }
  return best;
}

/// `steps` from `begin` on, with a run in every pitch, all in steps.
WgradPiece piece_of(const WgradWork& work, size_t offset, int tile, int64_t begin, int64_t end,
                    int64_t run, int64_t pitch) {
  WgradPiece piece;
  const auto pairs = [&](int64_t steps) {
    return static_cast<uint32_t>(std::min(steps * work.tile_k, work.pairs[offset]));
  };
  piece.begin = pairs(begin);
  piece.end = pairs(end);
  // A pitch past the list is never taken; what matters is that sums of both stay in 32 bits.
  piece.run = static_cast<uint32_t>(run * work.tile_k);
  piece.pitch = static_cast<uint32_t>(pitch * work.tile_k);
  piece.steps = static_cast<int32_t>(steps_in_turns(end - begin, run, pitch));
  piece.offset = static_cast<int32_t>(offset);
  piece.tile = tile;
  return piece;
}

class Splitter {
 public:
  Splitter(const WgradWork& work, int64_t blocks) : work_(work), of_block_(size_t(blocks)) {}

  void add_unit(size_t offset, int tile, const std::vector<Share>& shares) {
    WgradSum sum{static_cast<int32_t>(offset), tile, static_cast<int32_t>(schedule_.slices), 0};
    const auto add = [&](size_t block, WgradPiece piece) {
      if (shares.size() > 1) piece.slice = sum.first_slice + sum.slices++;
      of_block_[block].push_back(piece);
    };
    // Shares of few steps lie at the beginning of the list, the others take turns in the rest.
    const auto is_short = [](const Share& share) { return share.steps < 2 * kFewestTurns; };
    int64_t begin = 0;
    for (const Share& share : shares) {
      if (!is_short(share)) continue;
      const int64_t run = std::max<int64_t>(share.steps, 1);
      add(share.block, piece_of(work_, offset, tile, begin, begin + share.steps, run, run));
      begin += share.steps;
    }
    std::vector<Share> rest;
    std::ranges::remove_copy_if(shares, std::back_inserter(rest), is_short);
    const int64_t steps = steps_of(work_, offset), turns = choose_turns(rest, steps - begin);
    int64_t pitch = 0;
    for (const Share& share : rest) pitch += run_of(share, turns);
    for (const Share& share : rest) {
      add(share.block, piece_of(work_, offset, tile, begin, steps, run_of(share, turns), pitch));
      begin += run_of(share, turns);
    }
    if (sum.slices > 0) schedule_.sums.push_back(sum);
    schedule_.slices += sum.slices;
  }

  WgradSchedule finish() {
    schedule_.block_pieces.push_back(0);
    for (const std::vector<WgradPiece>& pieces : of_block_) {
      if (pieces.empty()) continue;
      schedule_.pieces.insert(schedule_.pieces.end(), pieces.begin(), pieces.end());
      schedule_.block_pieces.push_back(static_cast<int32_t>(schedule_.pieces.size()));
    }
    return std::move(schedule_);
  }

 private:
  const WgradWork& work_;
  std::vector<std::vector<WgradPiece>> of_block_;
  WgradSchedule schedule_;
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
      splitter.add_unit(offset, tile, {{block++, steps_of(work, offset)}});
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
  std::priority_queue<std::pair<int64_t, size_t>> rooms;
  for (size_t b = 0; b < static_cast<size_t>(shares); ++b)
    rooms.push({(total + shares - 1) / shares, b});
  std::vector<std::pair<size_t, int>> rest;
  for (const size_t o : longest_first(work))
    for (int tile = 0; tile < work.tiles; ++tile) {
      const auto [room, block] = rooms.top();
      // A unit that leaves next to nothing, or takes next to nothing too much, fits.
      if (room + kSliceSteps <= length(o) && work.pairs[o] > 0) {
        rest.push_back({o, tile});
        continue;
      }
      rooms.pop();
      rooms.push({room - length(o), block});
      splitter.add_unit(o, tile, {{block, steps_of(work, o)}});
    }

  // The rest is cut so that it fills the rooms, the largest first.
  for (const auto& [o, tile] : rest) {
    std::vector<Share> parts;
    int64_t left = steps_of(work, o);
    while (left > 0) {
      const auto [room, block] = rooms.top();
      rooms.pop();
      int64_t taken = std::min(left, std::max(room, kSliceSteps));
      if (left - taken < kSliceSteps) taken = left;
      parts.push_back({block, taken});
      rooms.push({room - taken, block});
      left -= taken;
    }
    splitter.add_unit(o, tile, parts);
  }
  return splitter.finish();
}

}  // namespace spb::plans
