// SPDX-License-Identifier: Apache-2.0
// Building OffsetGroups: counted with the other lists, made where they are worth it.
#pragma once

#include <cstdint>
#include <span>

#include "maps/parts.h"

namespace spb::maps {

/// Adds the entries that groups of `slots` offsets would have to *members, which is zero.
void count_members(const RowMasks& masks, int slots, uint64_t* members, BuildContext context);

/// Whether so few rows have any offset of a group that sharing them is not worth its absent ones:
/// fewer than if each offset were there with a chance of a third. On an H200, f16, a million rows,
/// two offsets a tile at 128 channels and four at 64: where 0.69 and 0.90 of the rows have one
/// (spheres, 12.8 pairs a row) sharing is faster by a sixth, where 0.38 and 0.59 have one (lidar,
/// 6.2) slower by a tenth (`tune --mode all`, not in the records). `entries`: of all groups.
bool are_sparse(int64_t entries, int slots, int kernel_volume, int64_t rows);

/// `offset_begin`: of the map's pair lists (KernelMap). Waits for the device once more.
OffsetGroups build_offset_groups(const NeighborMap& map, int slots,
                                 std::span<const int64_t> offset_begin, BuildContext context);

}  // namespace spb::maps
