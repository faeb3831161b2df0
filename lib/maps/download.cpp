// SPDX-License-Identifier: Apache-2.0
#include "maps/download.h"

#include <algorithm>
#include <numeric>
#include <span>
#include <stdexcept>

#include "core/parallel.h"
#include "gpu/staging.h"

namespace spb::maps {
namespace {

/// The triples that each(i, add) adds for i = 0 .. count - 1, in this order, made on all
/// processors: they are counted first, and then written where they stay.
template <class Each>
Triples collected(int64_t count, const Each& each) {
  std::vector<size_t> begins(static_cast<size_t>(count) + 1);
  parallel_for(count, [&](int64_t i) {
    size_t added = 0;
    each(i, [&](const Triple&) { ++added; });
    begins[static_cast<size_t>(i) + 1] = added;
  });
  std::partial_sum(begins.begin(), begins.end(), begins.begin());
  Triples all(begins.back());
  parallel_for(count, [&](int64_t i) {
    Triple* to = all.data() + begins[static_cast<size_t>(i)];
    each(i, [&](const Triple& triple) { *to++ = triple; });
  });
  return all;
}

template <class T>
UninitializedVector<T> read(const gpu::Buffer<T>& from, const gpu::Stream& stream) {
  UninitializedVector<T> values(static_cast<size_t>(from.size()));
  gpu::download(from.data(), std::as_writable_bytes(std::span(values)), stream);
  return values;
}

/// A view of the rows at the positions of each segment's order.
struct Positions {
  UninitializedVector<int32_t> order;
  int64_t n;

  /// -1 behind the last one.
  int32_t row(int64_t segment, int64_t position) const {
    if (position >= n) return -1;
    return order.empty() ? static_cast<int32_t>(position)
                         : order[static_cast<size_t>(segment * n + position)];
  }
};

Triples by_tile_index(const TileLists& lists, const gpu::Stream& stream) {
  const Positions positions{read(lists.order, stream), lists.n_rows};
  const auto offsets = read(lists.valid_kernel, stream);
  const auto begin = read(lists.valid_kernel_seg, stream);
  const auto index = read(lists.tile_index, stream);
  return collected(lists.tiles * lists.segments, [&](int64_t tile, auto&& add) {
    const int64_t segment = tile / lists.tiles;
    const int64_t first = (tile - segment * lists.tiles) * lists.tile_rows;
    const auto at = static_cast<size_t>(tile);
    for (int64_t entry = begin[at]; entry < begin[at + 1]; ++entry)
      for (int32_t i = 0; i < lists.tile_rows; ++i) {
        const int32_t neighbor = index[static_cast<size_t>(entry * lists.tile_rows + i)];
        if (neighbor >= 0)
          add({offsets[static_cast<size_t>(entry)], positions.row(segment, first + i), neighbor});
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
  const Positions positions{read(lists.order, stream), lists.n_rows};
  const auto tiles = read(lists.halos.tiles, stream);
  const auto slots = read(lists.halos.slots, stream);
  const auto more = read(lists.halos.more, stream);
  const auto local = read(lists.halos.local, stream);
  return collected(lists.halos.tiles.size(), [&](int64_t t, auto&& add) {
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
          add({o, positions.row(0, position), static_cast<int32_t>(slot >> 2)});
        }
      }
    }
  });
}

}  // namespace

std::vector<Coord> download(const RowCoords& coords, const gpu::Stream& stream) {
  std::vector<Coord> rows(static_cast<size_t>(coords.n));
  gpu::download(coords.rows, std::as_writable_bytes(std::span(rows)), stream);
  return rows;
}

Triples download_pairs(const NeighborMap& map, const gpu::Stream& stream) {
  const auto table = read(map.rows, stream);
  constexpr int64_t kRows = 1 << 12;
  return collected((map.n_rows + kRows - 1) / kRows, [&](int64_t i, auto&& add) {
    const int64_t first = i * kRows, last = std::min(first + kRows, int64_t{map.n_rows});
    for (int64_t row = first; row < last; ++row)
      for (int32_t o = 0; o < map.kernel_volume; ++o) {
        const int32_t found = table[static_cast<size_t>(row * map.kernel_volume + o)];
        if (found >= 0) add({o, static_cast<int32_t>(row), found});
      }
  });
}

Triples download_pairs(const KernelMap& map, const gpu::Stream& stream) {
  const auto fine = read(map.fine_index, stream);
  const auto coarse = read(map.coarse_index, stream);
  const auto begin = read(map.offset_begin, stream);
  return collected(static_cast<int64_t>(begin.size()) - 1, [&](int64_t o, auto&& add) {
    const auto at = static_cast<size_t>(o);
    for (auto i = static_cast<size_t>(begin[at]); i < static_cast<size_t>(begin[at + 1]); ++i)
      add({static_cast<int32_t>(o), coarse[i], fine[i]});
  });
}

Triples download_pairs(const OffsetGroups& groups, const gpu::Stream& stream) {
  const auto in = read(groups.in_index, stream);
  const auto out = read(groups.out_index, stream);
  return collected(static_cast<int64_t>(groups.begin_host.size()) - 1, [&](int64_t g, auto&& add) {
    const auto group = static_cast<size_t>(g), slots = static_cast<size_t>(groups.slots);
    for (auto i = static_cast<size_t>(groups.begin_host[group]);
         i < static_cast<size_t>(groups.begin_host[group + 1]); ++i)
      for (size_t s = 0; s < slots; ++s) {
        const int32_t row = in[s * out.size() + i];
        if (row >= 0) add({static_cast<int32_t>(group * slots + s), out[i], row});
      }
  });
}

Triples download_pairs(const TileLists& lists, const gpu::Stream& stream) {
  if (lists.halos.tiles.size() > 0) return by_halos(lists, stream);
  if (lists.tile_index.size() == 0 && lists.listed > 0)
    throw std::logic_error("tile lists without index or halos name no rows");
  return by_tile_index(lists, stream);
}

}  // namespace spb::maps
