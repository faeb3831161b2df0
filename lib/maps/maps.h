// SPDX-License-Identifier: Apache-2.0
// Maps between input and output voxels, built by kernels from coords (algorithms.md, 3 to 5).
#pragma once

#include <cstdint>
#include <memory>
#include <optional>
#include <string>
#include <string_view>
#include <utility>
#include <vector>

#include "core/problem.h"
#include "gpu/buffer.h"
#include "maps/device_coords.h"
#include "maps/halo/halo.h"
#include "maps/orders/window.h"
#include "maps/table/hash_options.h"

namespace spb::maps {

/// Output voxels of a convolution: a view of the inputs for submanifold, else own rows in
/// lexicographic order.
struct OutputCoords {
  gpu::Buffer<Coord> own;       ///< empty for submanifold
  const Coord* rows = nullptr;  ///< [n]
  int64_t n = 0;
  Box box;
};

/// Dense [n_out, kernel_volume] table of input rows, -1 = absent.
struct NeighborMap {
  gpu::Buffer<int32_t> rows;
  int64_t n_out = 0;
  int kernel_volume = 0;
  Int3 kernel_size{};      ///< zeros: unknown
  int common_offset = -1;  ///< an offset that every row has (the center of submanifold), or -1
};

/// Per-offset pair lists, ascending by out_index inside an offset.
struct KernelMap {
  gpu::Buffer<int32_t> in_index, out_index;  ///< [n_pairs]
  gpu::Buffer<int64_t> offset_begin;         ///< [kernel_volume + 1]
  std::vector<int64_t> offset_begin_host;    ///< the same, read back once
  int64_t n_pairs() const { return in_index.size(); }
};

/// Groups of `slots` neighboring offsets, the last one perhaps of fewer; for each the output rows
/// that have any of its offsets, in the order of RowJumps. For wgrad kernels that share rows of
/// gout among neighboring offsets.
struct OffsetGroups {
  int slots = 1, kernel_volume = 0;
  gpu::Buffer<int32_t> out_index;   ///< [entries]
  gpu::Buffer<int32_t> in_index;    ///< [slots, entries] input row, -1 = absent
  gpu::Buffer<int64_t> begin;       ///< [groups + 1] of each group's entries
  std::vector<int64_t> begin_host;  ///< the same
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
  gpu::Buffer<int32_t> valid_kernel;      ///< [listed] offsets, ascending inside a tile
  gpu::Buffer<int64_t> valid_kernel_seg;  ///< [segments * tiles + 1] starts
  /// [listed, tile_rows] input row of each position of each listed (tile, offset); -1 = absent or
  /// past n_rows. Empty unless asked for.
  gpu::Buffer<int32_t> tile_index;
  HaloLists halos;  ///< empty unless asked for
  int tile_rows = 0;
  int segments = 1;
  int64_t n_rows = 0;
  int64_t tiles = 0;   ///< of a segment
  int64_t listed = 0;  ///< of all segments
};

/// Everything the builders share.
struct BuildContext {
  gpu::Allocator& allocator;
  const gpu::Stream& stream;
};

// Every builder waits for the device once at most, to read back statuses and lengths; the kernels
// that follow may still run when it returns. Scratch is released in stream order.
//
// Errors of the builders: Error (usage) for an invalid geometry or hash option; Error (runtime) for
// a coordinate outside the box (with its row), repeated coords (with their count and one row), a
// full table, a box beyond 64-bit keys, more than 2^31 - 1 rows.

/// Submanifold: a view of the inputs, nothing is checked, no wait. Strided: every reached output
/// voxel; coords outside the box are an error, repeated ones are found with the map.
OutputCoords build_output_coords(const DeviceCoords& in, const ConvGeometry& geometry,
                                 BuildContext context, const HashOptions& hash = {});

/// Tile lists over the output rows of a relation or, `reverse`, over its input rows.
struct ListNeeds {
  bool reverse = false;  ///< a submanifold's are the forward ones, mirrored
  int tile_rows = 128;
  bool tile_index = true;
  bool halos = false;  ///< with tiles of kHaloGroupRows, one segment and an order
  int segments = 1;    ///< up to kMostSegments
  RowOrder order = RowOrder::gray;
  int64_t window = kWindow;
  /// Up to this many rows are one window, as for RowOrder::gray: a global order wastes less work,
  /// and what it gathers from still lies in the cache.
  int64_t gray_up_to_rows = 0;

  friend bool operator==(const ListNeeds&, const ListNeeds&) = default;
};

/// Different lists that one chain makes, at most.
inline constexpr int kMostLists = 4;

/// Which parts of the maps are needed; each costs only what it alone needs.
struct MapNeeds {
  bool table = false;          ///< the forward map
  bool reverse_table = false;  ///< the reverse map; submanifold has none
  bool pairs = false;          ///< pair lists
  int groups = 1;              ///< beyond 1: lists of groups of so many offsets, for wgrad
  bool sparse_groups = false;  ///< also where pair lists would be better, and are made instead
  std::vector<ListNeeds> lists;

  /// Both these needs and those.
  void add(const MapNeeds& other);
};

/// What a layer gathers by, all directions. Parts not asked for are null; who takes a part keeps it
/// alive, no longer than the allocator.
struct Maps {
  std::shared_ptr<const OutputCoords> out;
  std::shared_ptr<const NeighborMap> forward;  ///< [n_out, kernel_volume]: entry (u, o) = p
  std::shared_ptr<const NeighborMap> reverse;  ///< [n_in, kernel_volume]: entry (p, o) = u
  std::shared_ptr<const KernelMap> pairs;
  std::shared_ptr<const OffsetGroups> groups;  ///< null, too, where groups are sparse
  /// Submanifold dgrad reads the forward map and its lists with weight offset
  /// kernel_volume - 1 - o.
  std::vector<std::pair<ListNeeds, std::shared_ptr<const TileLists>>> lists;

  /// The lists made for these needs, or null.
  std::shared_ptr<const TileLists> find(const ListNeeds& needs) const;
};

/// The maps of one convolution, sharing work, with one wait (two where groups are made). Validates
/// the input coords. `out` is what build_output_coords made of `in`.
Maps build_maps(const DeviceCoords& in, std::shared_ptr<const OutputCoords> out,
                const ConvGeometry& geometry, const MapNeeds& needs, BuildContext context,
                const HashOptions& hash = {});

/// The pair lists of a map that exists.
KernelMap build_kernel_map(const NeighborMap& forward, BuildContext context);

}  // namespace spb::maps
