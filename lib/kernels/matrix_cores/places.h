// SPDX-License-Identifier: Apache-2.0
// Where threads of kernels on matrix cores write to and read from LDS, NVIDIA's shared memory:
// numbers alone, which tests walk on any machine.
#pragma once

#include <algorithm>

#include "gpu/mma/lane_tables.h"
#include "gpu/mma/swizzle.h"
#include "gpu/qualifiers.h"
#include "kernels/matrix_cores/tile.h"

namespace spb::plans {

/// A stage is tile_m rows of A and behind them tile_n rows of B, a row for each column, all in
/// order of depth. A row is cut into chunks of 16 bytes, which lie swizzled.
///
/// Any order of k is right that A and B share. So a lane reads whole chunks and feeds as many
/// instructions with their parts, where the instruction would want fewer elements side by side: a
/// slice is what one such read of all lanes covers.
struct MatrixPlaces {
  MatrixTile tile;
  gpu::LaneTable table;
  int element_bytes;

  GPU_HOST_DEVICE constexpr int tile_m() const { return tile.warps_m * tile.warp_m; }
  GPU_HOST_DEVICE constexpr int tile_n() const { return tile.warps_n * tile.warp_n; }
  GPU_HOST_DEVICE constexpr int tile_k() const { return tile.row_bytes / element_bytes; }
  GPU_HOST_DEVICE constexpr int threads() const {
    return table.lanes * tile.warps_m * tile.warps_n;
  }
  GPU_HOST_DEVICE constexpr int row_chunks() const { return tile.row_bytes / 16; }
  GPU_HOST_DEVICE constexpr int chunk_elements() const { return 16 / element_bytes; }
  GPU_HOST_DEVICE constexpr int stage_chunks() const {
    return (tile_m() + tile_n()) * row_chunks();
  }

  /// Chunks that a lane reads of a slice, and instructions that these feed.
  GPU_HOST_DEVICE constexpr int reads() const {
    return std::max(1, table.elements() / chunk_elements());
  }
  GPU_HOST_DEVICE constexpr int parts() const {
    return std::max(1, chunk_elements() / table.elements());
  }
  GPU_HOST_DEVICE constexpr int slices() const {
    return row_chunks() / (table.holders() * reads());
  }

  GPU_HOST_DEVICE constexpr int warp_row(int thread) const {
    return thread / table.lanes / tile.warps_n * tile.warp_m;
  }
  GPU_HOST_DEVICE constexpr int warp_column(int thread) const {
    return thread / table.lanes % tile.warps_n * tile.warp_n;
  }

  /// Of a chunk of a row of A, or, tile_m() rows later, of B: counted in chunks. Rows of eight also
  /// swap by their eighth: wgrad's threads write a chunk of rows that are four or eight apart.
  GPU_HOST_DEVICE constexpr int at(int row, int chunk) const {
    const int swapped = row_chunks() == 8 ? row ^ row >> 3 : row;
    return row * row_chunks() + gpu::sm80::swizzled(swapped, chunk, row_chunks());
  }

  /// The chunk that a lane reads.
  GPU_HOST_DEVICE constexpr int chunk(int lane, int slice, int read) const {
    return (slice * table.holders() + table.holder(lane)) * reads() + read;
  }
  GPU_HOST_DEVICE constexpr int read_a(int thread, int i, int slice, int read) const {
    const int lane = thread % table.lanes;
    return at(warp_row(thread) + i * table.size + table.line(lane), chunk(lane, slice, read));
  }
  GPU_HOST_DEVICE constexpr int read_b(int thread, int j, int slice, int read) const {
    const int lane = thread % table.lanes;
    return at(tile_m() + warp_column(thread) + j * table.size + table.line(lane),
              chunk(lane, slice, read));
  }

  /// A copy: the row of its kind and the chunk in it.
  struct Copy {
    int row, chunk;
  };
  /// Threads side by side copy a row whose depth lies side by side.
  GPU_HOST_DEVICE constexpr Copy copy(int thread, int pass) const {
    const int index = pass * threads() + thread;
    return {index / row_chunks(), index % row_chunks()};
  }
  /// Weights of dgrad: columns lie side by side, so neighbors gather depth for columns beside each
  /// other.
  GPU_HOST_DEVICE constexpr Copy transposed_copy(int thread, int pass) const {
    const int index = pass * threads() + thread;
    return {index % tile_n(), index / tile_n()};
  }
  GPU_HOST_DEVICE constexpr int passes_a() const { return tile_m() * row_chunks() / threads(); }
  GPU_HOST_DEVICE constexpr int passes_b() const { return tile_n() * row_chunks() / threads(); }

  /// Instructions side by side whose sums go out together. Those of eight columns alone would leave
  /// half of the lanes without four sums, and write rows in pieces of eight outputs.
  GPU_HOST_DEVICE constexpr int slab_instructions() const { return table.size == 8 ? 4 : 1; }
  GPU_HOST_DEVICE constexpr int slab_columns() const { return table.size * slab_instructions(); }

  /// Where a wavefront keeps these sums on their way to rows of the output: counted in sums, of
  /// four bytes. Rows of 16 change places with a neighbor and rows of eight swizzle their fours, so
  /// that those that lanes write together lie in different banks.
  GPU_HOST_DEVICE constexpr int slab(int row, int column) const {
    const int place = table.size == 16 ? row ^ ((row >> 2 ^ row >> 3) & 1) : row;
    const int swizzled = table.size == 8 ? column ^ (row & 6) * 4 : column;
    return place * slab_columns() + swizzled;
  }
  GPU_HOST_DEVICE constexpr int slab_sums() const { return table.size * slab_columns(); }
  /// Of LDS: stages, and later slabs of all wavefronts.
  GPU_HOST_DEVICE constexpr int shared_chunks() const {
    return std::max(stage_chunks(), threads() / table.lanes * slab_sums() / 4);
  }

  constexpr bool is_sound() const {
    return tile_m() * row_chunks() % threads() == 0 && tile_n() * row_chunks() % threads() == 0 &&
           slices() * table.holders() * reads() == row_chunks() && tile.warp_m % table.size == 0 &&
           tile.warp_n % slab_columns() == 0;
  }
};

/// Of a tile that has the dtype; no constant, and throws Error (runtime), for others.
constexpr MatrixPlaces places_of(const MatrixTile& tile, Dtype dtype) {
  const int atom = gpu::find_matrix_atom(tile.cores, dtype, tile.atom_size);
  if (atom < 0) no_instance(tile.name, dtype);
  return {tile, gpu::kMatrixAtoms[atom].table, operand_bytes(tile.dtypes)};
}

}  // namespace spb::plans
