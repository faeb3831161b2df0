// SPDX-License-Identifier: Apache-2.0
// Which parts of its maps a relation is asked for.
#pragma once

#include <cstdint>
#include <vector>

#include "maps/orders/window.h"
#include "maps/parts.h"

namespace spb::maps {

/// Tile lists over the coarse rows of a relation or, `reverse`, over its fine rows.
struct ListNeeds {
  bool reverse = false;  ///< a submanifold's are the forward ones, mirrored
  int tile_rows = 128;
  bool tile_index = true;
  /// With tiles of kHaloGroupRows, one segment and an order, and nothing else of lists.
  bool halos = false;
  int segments = 1;  ///< up to kMostSegments
  RowOrder order = RowOrder::gray;
  int64_t window = kWindow;
  /// Up to this many rows are one window, as for RowOrder::gray: a global order wastes less work,
  /// and what it gathers from still lies in the cache.
  int64_t gray_up_to_rows = 0;
  bool longest_first = false;  ///< TileLists::longest_first

  /// Whether lists made for these needs serve those too.
  bool cover(ListNeeds others) const {
    others.longest_first |= longest_first;
    return *this == others;
  }
  friend bool operator==(const ListNeeds&, const ListNeeds&) = default;
};

/// Halos over the coarse rows of a relation or, `reverse`, over its fine rows. Who reads halos asks
/// for them alike, so that a layer's directions share them.
inline ListNeeds halo_lists(bool reverse) {
  return {.reverse = reverse,
          .tile_rows = kHaloGroupRows,
          .tile_index = false,
          .halos = true,
          .order = RowOrder::z};
}

/// Different lists that one chain makes, at most.
inline constexpr int kMostLists = 4;

/// Which parts of the maps are needed; each costs only what it alone needs.
struct MapNeeds {
  bool table = false;          ///< the forward map
  bool reverse_table = false;  ///< the reverse map; submanifold has none
  bool pairs = false;          ///< pair lists
  int groups = 1;              ///< beyond 1: lists of groups of so many offsets, for wgrad
  bool sparse_groups = false;  ///< make them although sparse; else pair lists are made instead
  std::vector<ListNeeds> lists;

  /// Both these needs and those.
  void add(const MapNeeds& other);
};

}  // namespace spb::maps
