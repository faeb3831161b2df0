// SPDX-License-Identifier: Apache-2.0
// What maps say, brought back for comparison: every (offset, row, neighbor) they hold, in any
// order, repeats kept. In a Triple `out` is the row and `in` its neighbor, whichever side they are
// of; of pair lists `out` is coarse and `in` fine.
#pragma once

#include <vector>

#include "core/expected.h"
#include "maps/parts.h"

namespace spb::maps {

std::vector<Coord> download(const RowCoords& coords, const gpu::Stream& stream);

Triples download_pairs(const NeighborMap& map, const gpu::Stream& stream);
Triples download_pairs(const KernelMap& map, const gpu::Stream& stream);
Triples download_pairs(const OffsetGroups& groups, const gpu::Stream& stream);
/// As kernels read them: by halos where there are any, else by the tile index.
Triples download_pairs(const TileLists& lists, const gpu::Stream& stream);

}  // namespace spb::maps
