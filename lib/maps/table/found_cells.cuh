// SPDX-License-Identifier: Apache-2.0
// The cells that rows touch, found once a row, all at the same time. WarpConvNet, too, searches
// coarse blocks first and then within them.
#pragma once

#include "maps/orders/order.h"
#include "maps/pairs/block_columns.cuh"
#include "maps/pairs/unrolled.cuh"
#include "maps/table/cell_table.cuh"

namespace spb::maps {

constexpr int32_t kPiece = 8;     // offsets of a column that a thread takes at once
constexpr int kFindTogether = 2;  // cells that a thread has under way at once

/// Threads of a block, entries of the map that each stages at once, and rows: few enough that a
/// processor has room for several blocks, and rounds that keep all of its threads busy.
template <int kSize>
struct CellBlock {
  static constexpr int32_t kThreads = kSize == 7 ? 128 : kSize == 5 ? 320 : kSize == 3 ? 192 : 256;
  static constexpr int32_t kLongest = kSize > 0 ? kSize* kSize : kPiece;
  static constexpr int32_t kRows = kSize == 7 ? 32 : kSize == 5 ? 64 : kColumnBlock;
};

/// Cells that an axis touches at most, from its first position to one `span` behind.
__host__ __device__ constexpr uint32_t cells_of_span(int32_t span) {
  return static_cast<uint32_t>((kCellEdge - 1 + span) / kCellEdge + 1);
}

/// Positions in cells are told from the first cell that a row touches.
struct CellAxis {
  DeviceAxis axis;
  int32_t span;    // from the first position to the last
  int32_t extent;  // of the box, in cells

  CellAxis(const DeviceAxis& of, int32_t extent_in_cells)
      : axis(of), span((of.kernel_size - 1) * of.dilation), extent(extent_in_cells) {}

  /// Of a kernel whose axes all have kSize offsets without dilation; of any for 0.
  template <int kSize>
  __host__ __device__ uint32_t cells() const {
    return kSize > 0 ? cells_of_span(kSize - 1) : cells_of_span(span);
  }
  /// Where the first position lies in its cell.
  __device__ uint32_t phase(int32_t u) const {
    return static_cast<uint32_t>(axis.fine(u, 0)) % kCellEdge;
  }
  __device__ int64_t first_cell(int32_t u) const { return axis.fine(u, 0) >> kCellShift; }
  /// The touched cells in the box, from the first one on: begin, and end << 16.
  __device__ uint32_t range(int32_t u) const {
    const int64_t first = first_cell(u), left = extent - first;
    const int64_t touched = (static_cast<int32_t>(phase(u)) + span) / kCellEdge + 1;
    const int64_t begin = first < 0 ? -first : 0, end = left < touched ? left : touched;
    return begin < end ? static_cast<uint32_t>(end << 16 | begin) : 0;
  }
};
__device__ inline bool in_range(uint32_t range, uint32_t cell) {
  return cell >= (range & 0xFFFF) && cell < range >> 16;
}

/// Of a row: its ranges of cells and the bit of its first position.
struct alignas(16) RowRanges {
  uint32_t x, y, z, phases;
};

template <class Key>
struct LookUpCells {
  const Coord* out;
  int64_t n;
  CellTableRef<Key> table;
  DeviceGeometry geometry;
  CellAxis x, y, z;
  int32_t rows_of_block;  // where the kernel's size does not tell
  int32_t* map;           // [n, kernel_volume]
  uint32_t* masks;        // [n, ceil(kernel_volume / 32)]
  // As in LookUp.
  KeyRule rule;
  uint32_t* sort_keys;
  ColumnCounts columns;

  template <int kSize>
  __host__ __device__ uint32_t row_cells() const {
    return x.cells<kSize>() * y.cells<kSize>() * z.cells<kSize>();
  }
  template <int kSize>
  __host__ __device__ int32_t volume() const {
    return kSize > 0 ? kSize * kSize * kSize : geometry.kernel_volume;
  }
  template <int kSize>
  __host__ __device__ int32_t block_rows() const {
    return kSize > 0 ? CellBlock<kSize>::kRows : rows_of_block;
  }

  /// The key is that of the row's first cell; it wraps around outside of the box.
  __device__ void start_row(const Coord& u, RowRanges& ranges, Key& first_key) const {
    const bool in_batch = u.batch >= 0 && u.batch < table.cells.batch_size;
    ranges = {in_batch ? x.range(u.x) : 0, y.range(u.y), z.range(u.z),
              bit_in_cell(x.phase(u.x), y.phase(u.y), z.phase(u.z))};
    first_key = table.cells.template key<Key>(u.batch, x.first_cell(u.x), y.first_cell(u.y),
                                              z.first_cell(u.z));
  }
};

/// By all threads of a block: of its rows, the cells [rows, row_cells].
template <int kSize, class Key>
__device__ void find_cells(const LookUpCells<Key>& job, uint32_t rows, const RowRanges* ranges,
                           const Key* first_keys, FoundCell* found) {
  const uint32_t threads = blockDim.x;
  const uint32_t in_y = job.y.template cells<kSize>(), in_z = job.z.template cells<kSize>();
  const uint32_t row_cells = job.template row_cells<kSize>(), items = rows * row_cells;
  for (uint32_t begin = threadIdx.x; begin < items; begin += kFindTogether * threads) {
    Key keys[kFindTogether], slots[kFindTogether];
    CellSlot loaded[kFindTogether];
    unrolled<kFindTogether>([&](auto j) {
      const uint32_t item = begin + j.value * threads;
      keys[j.value] = slots[j.value] = kEmptyKey<Key>;
      loaded[j.value] = {};
      if (item >= items) return;
      const uint32_t row = item / row_cells, cell = item % row_cells;
      const uint32_t x = cell / (in_y * in_z), y = cell / in_z % in_y, z = cell % in_z;
      const RowRanges of_row = ranges[row];
      if (!in_range(of_row.x, x) || !in_range(of_row.y, y) || !in_range(of_row.z, z)) return;
      keys[j.value] = first_keys[row] + job.table.cells.template key<Key>(0, x, y, z);
      slots[j.value] = home_slot(keys[j.value], job.table.last);
      loaded[j.value] = job.table.slots[slots[j.value]];
    });
    unrolled<kFindTogether>([&](auto j) {
      const uint32_t item = begin + j.value * threads;
      if (item < items)
        found[item] = job.table.find(keys[j.value], slots[j.value], loaded[j.value]);
    });
  }
}

}  // namespace spb::maps
