// SPDX-License-Identifier: Apache-2.0
// Pair lists as tile lists: what the tile kernels of fprop and dgrad read, of one offset a tile.
#pragma once

#include <cstdint>
#include <vector>

#include "maps/parts.h"

namespace spb::maps {

/// Offset by offset tiles of `tile_rows` consecutive pairs, each offset's last one filled up with
/// positions of no pair. A position is a place of a tile, counted over all of them.
struct PairTiles {
  /// order: the row written at each position, -1 = no pair; tile_index: the row gathered there;
  /// valid_kernel: the offset of each tile; valid_kernel_seg: 0, 1, 2, ...; n_rows: positions.
  TileLists lists;
  std::vector<int64_t> tile_begin;  ///< [kernel_volume + 1] first tile of each offset
};

/// `writes_fine`: fine rows are written and coarse rows gathered, as by a strided dgrad. Does not
/// wait.
/// Throws Error (runtime) for more than 2^31 - 1 positions.
PairTiles build_pair_tiles(const KernelMap& pairs, bool writes_fine, int tile_rows,
                           BuildContext context);

/// [rows, kernel_volume] the position of each (written row, offset), -1 = no pair. Does not wait.
gpu::Buffer<int32_t> position_table(const PairTiles& tiles, int64_t rows, BuildContext context);

}  // namespace spb::maps
