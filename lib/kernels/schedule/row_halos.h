// SPDX-License-Identifier: Apache-2.0
#pragma once

#include <cstdint>

#include "maps/halo/halo.h"

namespace spb::plans {

/// Of a pass whose kernel reads halos (maps/halo/halo.h), and of its lists the order alone.
struct RowHalos {
  const maps::HaloTile* tiles = nullptr;
  const uint32_t *slots = nullptr, *more = nullptr;
  const uint16_t* local = nullptr;
  int64_t count = 0;  ///< of tiles
};
inline RowHalos row_halos(const maps::HaloLists& halos) {
  return {halos.tiles.data(), halos.slots.data(), halos.more.data(), halos.local.data(),
          halos.tiles.size()};
}

}  // namespace spb::plans
