// In which order the row tiles of a masked pass are begun.
#pragma once

#include "maps/maps.h"

namespace spb::plans {

/// [lists.tiles] tiles by falling length of their lists, ties as numbered: with few tiles per
/// multiprocessor the last ones begun decide when a pass ends. Does not wait.
gpu::Buffer<int32_t> longest_first(const maps::TileLists& lists, int kernel_volume,
                                   maps::BuildContext context);

}  // namespace spb::plans
