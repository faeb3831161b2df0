// SPDX-License-Identifier: Apache-2.0
// The two halves of building halos, as those of lists (list_parts.h).
#pragma once

#include "maps/needs.h"
#include "maps/orders/z_order.h"

namespace spb::maps {

/// Of rows: those of different colors stand in different banks (docs/kernels/halo.md).
inline constexpr int kHaloColors = 8;

/// How a map leads from row to row: from a row at coordinate c, axis by axis, to those at
/// c * multiplier / divisor + steps[o]. Steps are modulo the number of colors.
struct HaloGeometry {
  int32_t multiplier[3], divisor[3];
  int32_t steps[kMostHaloOffsets][3];
};
/// Of the forward map, or of the reverse one.
HaloGeometry halo_geometry(const ConvGeometry& geometry, const std::array<int64_t, 3>& origin,
                           bool reverse);

struct HaloSource {
  const NeighborMap& map;
  const Coord* rows;  ///< [map.n_rows] coords
  const HaloGeometry geometry;
};

/// Throws Error (usage) unless the lists are of one segment, have an order, neither tile index nor
/// longest_first, and groups of kHaloGroupRows as tiles, the kernel has at most kMostHaloOffsets
/// offsets, and slots can name all `rows` that maps lead to.
void check_halo_needs(const ListNeeds& needs, int kernel_volume, int64_t rows);

/// Of each tile of kHaloRows, and a last 0.
struct HaloCounts {
  int64_t* listed;  ///< offsets of its groups
  int64_t* more;    ///< numbers of HaloLists::more that it takes
};

/// Builds the halos of lists that have their number of tiles, and their order or, where `sort` has
/// rows, memory for it: windows are then sorted by the blocks that build their halos. Rows of a
/// group change places in `lists.order`.
void start_halos(const HaloSource& source, const WindowSort& sort, const HaloCounts& counts,
                 TileLists& lists, BuildContext context);

/// Second pass, of tiles in rounds alone: builds them anew (header, slots, local indices) and fills
/// HaloLists::more. Rows of a group may change places once more. `begin` = scanned counts, `more`
/// their sum.
void finish_halos(const HaloSource& source, const int64_t* begin, int64_t more, TileLists& lists,
                  BuildContext context);

}  // namespace spb::maps
