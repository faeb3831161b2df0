// Maps between input and output voxels, built by kernels from coords (algorithms.md, 3 to 5).
#pragma once

#include <cstdint>
#include <vector>

#include "core/problem.h"
#include "gpu/buffer.h"
#include "maps/device_coords.h"
#include "maps/hash_options.h"

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
};

/// Per-offset pair lists, ascending by out_index inside an offset.
struct KernelMap {
  gpu::Buffer<int32_t> in_index, out_index;  ///< [n_pairs]
  gpu::Buffer<int64_t> offset_begin;         ///< [kernel_volume + 1]
  std::vector<int64_t> offset_begin_host;    ///< the same, read back once
  int64_t n_pairs() const { return in_index.size(); }
};

/// mask[row] has bit o set iff the row has offset o; bit o in word o / 32.
struct RowMasks {
  gpu::Buffer<uint32_t> words;  ///< [rows, words_per_row]
  int64_t n_rows = 0;
  int words_per_row = 0;
  int kernel_volume = 0;
};

enum class RowOrder { none, plain, gray, window };
const char* name(RowOrder order);
inline constexpr int64_t kDefaultWindow = 16384;  ///< rows per window of RowOrder::window

/// Tiles of `tile_rows` consecutive rows of an order, each with the offsets any of its rows has.
struct TileLists {
  gpu::Buffer<int32_t> order;             ///< [n_rows] row at each position; empty for none
  gpu::Buffer<int32_t> valid_kernel;      ///< [listed] offsets, ascending inside a tile
  gpu::Buffer<int64_t> valid_kernel_seg;  ///< [tiles + 1] starts
  int tile_rows = 0;
  int64_t n_rows = 0;
  int64_t tiles = 0;
  int64_t listed = 0;
};

/// Everything the builders share.
struct BuildContext {
  gpu::Allocator& allocator;
  const gpu::Stream& stream;
};

// Errors of the builders: Error (usage) for an invalid geometry or hash option; Error (runtime) for
// a coordinate outside the box (with its row), repeated coords (with their count and one row), a
// full table, a box beyond 64-bit keys, more than 2^31 - 1 rows.

/// Submanifold: a view of the inputs, nothing is checked. Strided: every reached output voxel;
/// coords outside the box are an error, repeated ones are found by build_neighbor_map.
OutputCoords build_output_coords(const DeviceCoords& in, const ConvGeometry& geometry,
                                 BuildContext context, const HashOptions& hash = {});

/// Forward map: entry (u, o) = p. Validates the input coords; the hash table is freed.
NeighborMap build_neighbor_map(const DeviceCoords& in, const OutputCoords& out,
                               const ConvGeometry& geometry, BuildContext context,
                               const HashOptions& hash = {});

/// [n_in, kernel_volume]: entry (p, o) = u. Works for every kind; submanifold plans may instead
/// read the forward map with offset kernel_volume - 1 - o.
NeighborMap reverse_neighbor_map(const NeighborMap& forward, int64_t n_in, BuildContext context);

KernelMap build_kernel_map(const NeighborMap& forward, BuildContext context);

RowMasks build_masks(const NeighborMap& map, BuildContext context);

/// Rows sorted by the order's key; stable. Empty buffer for RowOrder::none.
gpu::Buffer<int32_t> build_order(const RowMasks& masks, RowOrder order, int64_t window,
                                 BuildContext context);

/// Takes the order and lists every tile's offsets.
TileLists build_tile_lists(const RowMasks& masks, gpu::Buffer<int32_t> order, int tile_rows,
                           BuildContext context);

}  // namespace spb::maps
