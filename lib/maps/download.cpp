// SPDX-License-Identifier: Apache-2.0
#include "maps/download.h"

#include <stdexcept>

#include "core/parallel.h"

namespace spb::maps {
namespace {

using Triples = std::vector<Triple>;

/// The triples that add(i, part) appends for i = 0 .. count - 1, made on all processors.
template <class Add>
Triples collected(int64_t count, const Add& add) {
  std::vector<Triples> parts(static_cast<size_t>(count));
  parallel_for(count, [&](int64_t i) { add(i, parts[static_cast<size_t>(i)]); });
  size_t pairs = 0;
  for (const Triples& part : parts) pairs += part.size();
  Triples all;
  all.reserve(pairs);
  for (const Triples& part : parts) all.insert(all.end(), part.begin(), part.end());
  return all;
}

/// A view of the rows at the positions of each segment's order.
struct Positions {
  std::vector<int32_t> order;
  int64_t n;

  /// -1 behind the last one.
  int32_t row(int64_t segment, int64_t position) const {
    if (position >= n) return -1;
    return order.empty() ? static_cast<int32_t>(position)
                         : order[static_cast<size_t>(segment * n + position)];
  }
};

Triples by_tile_index(const TileLists& lists, const gpu::Stream& stream) {
  const Positions positions{lists.order.download(stream), lists.n_rows};
  const auto offsets = lists.valid_kernel.download(stream);
  const auto begin = lists.valid_kernel_seg.download(stream);
  const auto index = lists.tile_index.download(stream);
  return collected(lists.tiles * lists.segments, [&](int64_t tile, Triples& part) {
    const int64_t segment = tile / lists.tiles;
    const int64_t first = (tile - segment * lists.tiles) * lists.tile_rows;
    const auto at = static_cast<size_t>(tile);
    for (int64_t entry = begin[at]; entry < begin[at + 1]; ++entry)
      for (int32_t i = 0; i < lists.tile_rows; ++i) {
        const int32_t neighbor = index[static_cast<size_t>(entry * lists.tile_rows + i)];
        if (neighbor >= 0)
          part.push_back(
              {offsets[static_cast<size_t>(entry)], positions.row(segment, first + i), neighbor});
      }
  });
}

/// The slots of the round that an offset of a tile is read in.
class Rounds {
 public:
  Rounds(const HaloTile& tile, const uint32_t* slots, const uint32_t* more)
      : slots_(slots + tile.slots_begin), end_(tile.offset_end), next_(more + tile.more_begin) {}
  /// Offsets ascend, group by group each begins anew.
  const uint32_t* slots_of(int32_t offset) {
    while (offset >= end_) {
      constexpr int kHeader = 4;  // slot count, offset end, two unused
      end_ = static_cast<int32_t>(next_[1]);
      slots_ = next_ + kHeader;
      next_ = slots_ + slots_[-kHeader];
    }
    return slots_;
  }

 private:
  const uint32_t* slots_;
  int32_t end_;
  const uint32_t* next_;
};

Triples by_halos(const TileLists& lists, const gpu::Stream& stream) {
  const Positions positions{lists.order.download(stream), lists.n_rows};
  const auto tiles = lists.halos.tiles.download(stream);
  const auto slots = lists.halos.slots.download(stream);
  const auto more = lists.halos.more.download(stream);
  const auto local = lists.halos.local.download(stream);
  return collected(lists.halos.tiles.size(), [&](int64_t t, Triples& part) {
    const HaloTile& tile = tiles[static_cast<size_t>(t)];
    const uint16_t* at = local.data() + tile.local_begin * kHaloGroupRows;
    for (int32_t group = 0; group < kHaloGroups; ++group) {
      Rounds rounds(tile, slots.data(), more.data());
      for (int32_t o = 0; o < kMostHaloOffsets; ++o) {
        if (!(tile.masks[group] >> o & 1)) continue;
        const uint32_t* of_round = rounds.slots_of(o);
        for (int32_t i = 0; i < kHaloGroupRows; ++i) {
          const uint32_t slot = of_round[*at++ / kHaloChunks];
          if (slot == HaloLists::kNoRow) continue;
          const int64_t position = t * kHaloRows + group * kHaloGroupRows + i;
          part.push_back({o, positions.row(0, position), static_cast<int32_t>(slot >> 2)});
        }
      }
    }
  });
}

}  // namespace

std::vector<Coord> download(const RowCoords& coords, const gpu::Stream& stream) {
  std::vector<Coord> rows(static_cast<size_t>(coords.n));
  gpu::copy_to_host(rows.data(), coords.rows, coords.n * int64_t{sizeof(Coord)}, stream);
  return rows;
}

Triples download_pairs(const NeighborMap& map, const gpu::Stream& stream) {
  const std::vector<int32_t> table = map.rows.download(stream);
  return collected(map.kernel_volume, [&](int64_t o, Triples& part) {
    part.reserve(static_cast<size_t>(map.n_rows));
    for (int32_t row = 0; row < map.n_rows; ++row) {
      const int32_t found = table[static_cast<size_t>(int64_t{row} * map.kernel_volume + o)];
      if (found >= 0) part.push_back({static_cast<int32_t>(o), row, found});
    }
  });
}

Triples download_pairs(const KernelMap& map, const gpu::Stream& stream) {
  const std::vector<int32_t> fine = map.fine_index.download(stream);
  const std::vector<int32_t> coarse = map.coarse_index.download(stream);
  const std::vector<int64_t> begin = map.offset_begin.download(stream);
  Triples pairs;
  pairs.reserve(fine.size());
  for (size_t o = 0; o + 1 < begin.size(); ++o)
    for (auto i = static_cast<size_t>(begin[o]); i < static_cast<size_t>(begin[o + 1]); ++i)
      pairs.push_back({static_cast<int32_t>(o), coarse[i], fine[i]});
  return pairs;
}

Triples download_pairs(const OffsetGroups& groups, const gpu::Stream& stream) {
  const std::vector<int32_t> in = groups.in_index.download(stream);
  const std::vector<int32_t> out = groups.out_index.download(stream);
  Triples pairs;
  for (size_t g = 0; g + 1 < groups.begin_host.size(); ++g)
    for (auto i = static_cast<size_t>(groups.begin_host[g]);
         i < static_cast<size_t>(groups.begin_host[g + 1]); ++i)
      for (size_t s = 0; s < static_cast<size_t>(groups.slots); ++s) {
        const int32_t row = in[s * out.size() + i];
        const auto offset = static_cast<int32_t>(g * static_cast<size_t>(groups.slots) + s);
        if (row >= 0) pairs.push_back({offset, out[i], row});
      }
  return pairs;
}

Triples download_pairs(const TileLists& lists, const gpu::Stream& stream) {
  if (lists.halos.tiles.size() > 0) return by_halos(lists, stream);
  if (lists.tile_index.size() == 0 && lists.listed > 0)
    throw std::logic_error("tile lists without index or halos name no rows");
  return by_tile_index(lists, stream);
}

}  // namespace spb::maps
