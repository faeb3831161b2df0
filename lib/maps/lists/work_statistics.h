// SPDX-License-Identifier: Apache-2.0
// How much work a voxel set is, and how much of it a row order wastes (algorithms.md, section 10).
// Plain C++ from a map as a set: no device.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/expected.h"
#include "maps/parts.h"

namespace spb::maps {

/// mask[row] has bit o set iff output row has offset o; word w holds bits 32 w to 32 w + 31.
struct HostMasks {
  std::vector<uint32_t> words;  ///< [n_rows, words_per_row]
  int64_t n_rows = 0;
  int words_per_row = 0;
  int kernel_volume = 0;
  Int3 kernel_size{};

  std::span<const uint32_t> row(int64_t index) const {
    return std::span(words).subspan(static_cast<size_t>(index * words_per_row),
                                    static_cast<size_t>(words_per_row));
  }
};

HostMasks host_masks(const MapSet& map, const Int3& kernel_size);
/// With the bits of one segment of `segments` alone: what its rows are sorted and tiled by.
HostMasks of_segment(HostMasks masks, int segment, int segments);

int64_t count_distinct(const HostMasks& masks);
/// Rows whose mask mirrored at the kernel's center, bit o as bit kernel_volume - 1 - o, is the mask
/// of a row too.
int64_t count_mirrored(const HostMasks& masks);
/// [kernel_volume + 1]: rows by number of pairs.
std::vector<int64_t> popcount_histogram(const HostMasks& masks);
/// [kernel_volume]
std::vector<int64_t> pairs_per_offset(const MapSet& map, int kernel_volume);

/// [n] rows in Morton order, batch by batch: the highest differing bit decides, z before y before
/// x. Coords count from the smallest of their batch, or the order would depend on where it lies.
/// The published redundancy of windows (kernels.md, section 2) holds for this order; with x first,
/// as data sets are sorted by `z`, the sphere of R = 256 has 1.27 instead of 1.28.
std::vector<int32_t> z_order(std::span<const Coord> coords);

/// Rows at each position, as build_order sorts them; for RowOrder::window and greedy the windows
/// are cut from `positions`, rows in the order that keeps locality (empty: input order).
/// `tile_rows`: for greedy.
std::vector<int32_t> host_order(const HostMasks& masks, RowOrder order, int64_t window,
                                std::span<const int32_t> positions = {}, int tile_rows = 128);

/// `order`, sorted by masks, as cluster_rows() clusters it for tiles of `tile_rows` rows.
std::vector<int32_t> host_clusters(const HostMasks& masks, std::span<const int32_t> order,
                                   int tile_rows);

/// Sum over tiles of `tile_rows` rows of the offsets that any row of the tile has. An empty order
/// is the input order.
int64_t listed_offsets(const HostMasks& masks, std::span<const int32_t> order, int tile_rows);

/// Executed / useful work, tile_rows * listed / n_pairs; partial tiles count whole. 0 without
/// pairs.
double redundancy(int64_t listed, int tile_rows, int64_t n_pairs);

}  // namespace spb::maps
