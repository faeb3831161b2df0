// Lists of rows for wgrad kernels that share gout's rows among neighboring offsets.
#pragma once

#include <vector>

#include "core/expected.h"
#include "maps/maps.h"

namespace spb::plans {

/// Groups of `slots` neighboring offsets, the last one perhaps of fewer; for each the output rows
/// that have any of its offsets, in the order of RowJumps.
struct OffsetGroups {
  int slots = 1, kernel_volume = 0;
  gpu::Buffer<int32_t> out_index;   ///< [entries]
  gpu::Buffer<int32_t> in_index;    ///< [slots, entries] input row, -1 = absent
  gpu::Buffer<int64_t> begin;       ///< [groups + 1] of each group's entries
  std::vector<int64_t> begin_host;  ///< the same
  int64_t entries() const { return out_index.size(); }
};

/// Whether so few rows have any offset of a group that sharing them is not worth its absent ones:
/// fewer than if each offset were there with a chance of a third. On an H200, f16, a million rows,
/// two offsets a tile at 128 channels and four at 64: where 0.69 and 0.90 of the rows have one
/// (spheres, 12.8 pairs a row) sharing is faster by a sixth, where 0.38 and 0.59 have one (lidar,
/// 6.2) slower by a tenth (`tune --mode all`, not in the records).
bool are_sparse(const OffsetGroups& groups, int64_t rows);

/// Errors as the builders of maps.
OffsetGroups build_offset_groups(const maps::NeighborMap& map, int slots,
                                 maps::BuildContext context);

/// The pairs that the groups hold, as (offset, out, in) in any order.
std::vector<Triple> download_pairs(const OffsetGroups& groups, const gpu::Stream& stream);

}  // namespace spb::plans
