// SPDX-License-Identifier: Apache-2.0
// The parts that maps are made of, as kernels read them (docs/algorithms.md, 3 to 5). This header
// knows no <memory>: in a device file that costs the compiler two seconds.
#pragma once

#include <cstdint>
#include <optional>
#include <string>
#include <string_view>
#include <vector>

#include "core/problem.h"
#include "gpu/buffer.h"
#include "maps/device_coords.h"
#include "maps/halo/halo.h"
#include "maps/pairs/group_steps.h"

namespace spb::maps {

/// The coords that a layer makes of its voxels, its outputs or an inverse layer's inputs: own rows
/// in lexicographic order. For submanifold a view of the voxels.
struct MadeCoords {
  gpu::Buffer<Coord> own;       ///< empty for submanifold
  const Coord* rows = nullptr;  ///< [n]
  int64_t n = 0;
  Box box;
  std::array<int64_t, 3> origin{};  ///< MadeGrid::origin
  RowCoords view() const { return {rows, n, box}; }
};

/// Dense [n_rows, kernel_volume] table of the rows of another side, -1 = absent.
struct NeighborMap {
  gpu::Buffer<int32_t> rows;
  int64_t n_rows = 0;
  int kernel_volume = 0;
  Int3 kernel_size{};      ///< zeros: unknown
  int common_offset = -1;  ///< an offset that every row has (the center of submanifold), or -1
};

/// Per-offset pair lists, ascending by coarse row inside an offset.
struct KernelMap {
  gpu::Buffer<int32_t> fine_index, coarse_index;  ///< [n_pairs]
  gpu::Buffer<int64_t> offset_begin;              ///< [kernel_volume + 1]
  std::vector<int64_t> offset_begin_host;         ///< the same, read back once
  int64_t n_pairs() const { return fine_index.size(); }
};

/// Groups of `slots` neighboring offsets, the last one perhaps of fewer; for each the coarse rows,
/// outputs, that have any of its offsets, in the order of RowJumps, and in each kGroupChunk of them
/// by which of the offsets they have: neighbors have the same ones. For wgrad kernels that share
/// rows of gout among neighboring offsets.
struct OffsetGroups {
  int slots = 1, kernel_volume = 0;
  gpu::Buffer<int32_t> out_index;  ///< [entries]
  gpu::Buffer<int32_t> in_index;   ///< [slots, entries] input row, -1 = absent
  /// Bit s of the entry at group_step(): whether any of kGroupStep entries has slot s.
  gpu::Buffer<uint8_t> step_slots;
  gpu::Buffer<int64_t> begin;       ///< [groups + 1] of each group's entries
  std::vector<int64_t> begin_host;  ///< the same
  std::vector<int64_t> pairs;       ///< [groups] of all offsets of each
  int64_t entries() const { return out_index.size(); }
};

/// mask[row] has bit o set iff the row has offset o; bit o in word o / 32.
struct RowMasks {
  gpu::Buffer<uint32_t> words;  ///< [rows, words_per_row]
  int64_t n_rows = 0;
  int words_per_row = 0;
  int kernel_volume = 0;
  Int3 kernel_size{};      ///< as in NeighborMap
  int common_offset = -1;  ///< as in NeighborMap
};

/// What rows are sorted by: nothing, their mask, its place in the Gray sequence, or first the
/// window that they lie in. `greedy` is `window` with tiles that are then filled with rows of like
/// masks, whose plans take longer to build. `z` has small windows along the z curve, for kernels
/// that read halos.
enum class RowOrder { none, plain, gray, window, greedy, z };
const char* name(RowOrder order);
constexpr bool has_windows(RowOrder order) {
  return order == RowOrder::window || order == RowOrder::greedy;
}
/// All of them, in the order of the enumeration.
std::vector<std::string> row_order_names();
/// The order of a name, or none.
std::optional<RowOrder> find_row_order(std::string_view name);

/// Segments that offsets are cut into, at most.
inline constexpr int kMostSegments = 16;
/// The first offset of a segment.
constexpr int segment_begin(int segment, int segments, int kernel_volume) {
  return (segment * kernel_volume + segments - 1) / segments;
}

/// Tiles of `tile_rows` consecutive rows of an order, each with the offsets any of its rows has.
/// With several segments each has an order and tiles of its own and lists its own offsets alone.
struct TileLists {
  /// [segments, n_rows] row at each position; empty for RowOrder::none
  gpu::Buffer<int32_t> order;
  /// [listed] offsets, ascending inside a tile; with halos empty, whose headers have them.
  gpu::Buffer<int32_t> valid_kernel;
  gpu::Buffer<int64_t> valid_kernel_seg;  ///< [segments * tiles + 1] starts, or empty with them
  /// [listed, tile_rows] input row of each position of each listed (tile, offset); -1 = absent or
  /// past n_rows. Empty unless asked for.
  gpu::Buffer<int32_t> tile_index;
  HaloLists halos;  ///< empty unless asked for
  /// [segments, tiles] tiles of each segment by falling length of their lists, ties as numbered.
  /// Empty unless asked for.
  gpu::Buffer<int32_t> longest_first;
  int tile_rows = 0;
  int segments = 1;
  int64_t n_rows = 0;
  int64_t tiles = 0;   ///< of a segment
  int64_t listed = 0;  ///< offsets of all tiles of all segments
};

/// Everything the builders share.
struct BuildContext {
  gpu::Allocator& allocator;
  const gpu::Stream& stream;
};

/// The pair lists of a map that exists.
KernelMap build_kernel_map(const NeighborMap& forward, BuildContext context);

}  // namespace spb::maps
