// SPDX-License-Identifier: Apache-2.0
// Offsets of any kernel, looked up in the cells of rows: a thread takes a piece of a column, up to
// eight offsets that follow one another along z.
#pragma once

#include "maps/table/found_cells.cuh"

namespace spb::maps {

/// How the offsets of a block's rows are dealt out: item after item, in the order of the map.
struct PieceItems {
  uint32_t size_y, size_z, columns, pieces;  // of a row, of a column

  template <class Key>
  __host__ __device__ explicit PieceItems(const LookUpCells<Key>& job)
      : size_y(static_cast<uint32_t>(job.y.axis.kernel_size)),
        size_z(static_cast<uint32_t>(job.z.axis.kernel_size)),
        columns(static_cast<uint32_t>(job.x.axis.kernel_size) * size_y),
        pieces((size_z + kPiece - 1) / kPiece) {}

  __host__ __device__ uint32_t of_row() const { return columns * pieces; }
  /// Where an item's entries begin, from the block's first.
  __device__ uint32_t begin(uint32_t item) const {
    return item / pieces * size_z + item % pieces * kPiece;
  }
  __device__ uint32_t size(uint32_t item) const {
    const uint32_t left = size_z - item % pieces * kPiece;
    return left < kPiece ? left : kPiece;
  }
};

/// Returns which neighbors are there.
template <class Key>
__device__ uint32_t look_up_piece(const LookUpCells<Key>& job, const PieceItems& items,
                                  const RowRanges* ranges, const FoundCell* found, uint32_t item,
                                  int32_t* values) {
  const uint32_t in_block = item / items.pieces, row = in_block / items.columns;
  const uint32_t column = in_block % items.columns, phases = ranges[row].phases;
  const auto step = [](const CellAxis& axis, uint32_t component) {
    return component * static_cast<uint32_t>(axis.axis.dilation);
  };
  const uint32_t x = phases / kCellColumns + step(job.x, column / items.size_y);
  const uint32_t y = phases / kCellEdge % kCellEdge + step(job.y, column % items.size_y);
  const uint32_t cell =
      (row * job.x.template cells<0>() + x / kCellEdge) * job.y.template cells<0>();
  const FoundCell* of_column = found + (cell + y / kCellEdge) * job.z.template cells<0>();
  const uint32_t place = x % kCellEdge * kCellEdge + y % kCellEdge;
  uint32_t bits = 0;
  for (uint32_t i = 0; i < items.size(item); ++i) {
    const uint32_t z = phases % kCellEdge + step(job.z, item % items.pieces * kPiece + i);
    const HalfCell half = of_column[z / kCellEdge].half(place);
    const uint32_t there = half.column(place) >> z % kCellEdge & 1;
    values[i] = there ? job.table.rows[half.columns + place].rows[z % kCellEdge] : -1;
    bits |= there << i;
  }
  return bits;
}

/// By all threads of a block: a warp takes as many items as it has lanes, whose entries are one
/// piece of the map. `staged` has kPiece entries for each thread.
template <class Key>
__device__ void look_up_pieces(const LookUpCells<Key>& job, const PieceItems& items, uint32_t rows,
                               const RowRanges* ranges, const FoundCell* found, int32_t* staged,
                               uint8_t* bits, int32_t* map) {
  const auto lanes = static_cast<uint32_t>(gpu::warp_size());
  const uint32_t lane = threadIdx.x % lanes, warp = threadIdx.x - lane;
  const uint32_t count = rows * items.of_row();
  int32_t* of_warp = staged + warp * kPiece;
  for (uint32_t base = warp; base < count; base += blockDim.x) {
    const uint32_t item = base + lane, begin = items.begin(base);
    const uint32_t end = items.begin(base + lanes < count ? base + lanes : count);
    if (item < count)
      bits[item] = static_cast<uint8_t>(
          look_up_piece(job, items, ranges, found, item, of_warp + (items.begin(item) - begin)));
    gpu::sync_warp();
    for (uint32_t i = lane; i < end - begin; i += lanes) map[begin + i] = of_warp[i];
    gpu::sync_warp();
  }
}

}  // namespace spb::maps
