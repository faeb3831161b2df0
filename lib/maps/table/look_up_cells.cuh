// SPDX-License-Identifier: Apache-2.0
// Looking up neighbors by cells: of each row every cell that its kernel touches is found once, all
// at the same time; then each offset asks a bit in shared memory. WarpConvNet, too, searches coarse
// blocks first and then within them.
#pragma once

#include "maps/orders/order.h"
#include "maps/pairs/block_columns.cuh"
#include "maps/pairs/chunk.h"
#include "maps/table/cell_table.cuh"

namespace spb::maps {

constexpr int32_t kCellThreads = 256;
constexpr int kFindTogether = 4;  // cells that a thread has under way at once
constexpr int kRowsTogether = 4;  // rows whose neighbors it fetches at once

/// Half of a cell: bits of one word, and where its rows begin.
struct alignas(8) HalfCell {
  uint32_t bits, begin;
};
struct alignas(16) FoundCell {
  HalfCell halves[2];
};

/// One axis: positions in cells are told from the first cell that a row touches.
struct CellAxis {
  DeviceAxis axis;
  int32_t span;   // from the first position to the last
  int32_t cells;  // touched at most

  explicit CellAxis(const DeviceAxis& of)
      : axis(of),
        span((of.kernel_size - 1) * of.dilation),
        cells(((kCellEdge - 1 + span) >> kCellShift) + 1) {}

  /// Where the first position lies in its cell.
  __device__ int32_t phase(int32_t u) const {
    return static_cast<int32_t>(axis.fine(u, 0) & (kCellEdge - 1));
  }
  __device__ bool touches(int32_t u, int32_t cell) const {
    return cell <= (phase(u) + span) >> kCellShift;
  }
  __device__ int64_t cell(int32_t u, int32_t cell) const {
    return (axis.fine(u, 0) >> kCellShift) + cell;
  }
};

template <class Key>
struct LookUpCells {
  const Coord* out;
  int64_t n;
  CellTableRef<Key> table;
  const int32_t* rows;  // of the inputs, by (cell, bit)
  DeviceGeometry geometry;
  CellAxis x, y, z;
  int32_t block_rows;  // up to kColumnBlock
  int32_t* map;        // [n, kernel_volume]
  uint32_t* masks;     // [n, mask_words()]
  // As in LookUp.
  KeyRule rule;
  uint32_t* sort_keys;
  ColumnCounts columns;

  __host__ __device__ int32_t row_cells() const { return x.cells * y.cells * z.cells; }
  __host__ __device__ int32_t mask_words() const { return (geometry.kernel_volume + 31) / 32; }
  /// Of shared memory, for one row: its cells, phases and mask.
  int32_t row_words() const {
    return row_cells() * static_cast<int32_t>(sizeof(FoundCell) / sizeof(int32_t)) + 1 +
           mask_words();
  }
  size_t shared_bytes() const {
    const int32_t of_columns = columns.words ? column_words(geometry.kernel_volume) : 0;
    return static_cast<size_t>(block_rows * row_words() + of_columns) * sizeof(int32_t);
  }
  __device__ uint32_t phases(const Coord& u) const {
    return bit_in_cell(x.phase(u.x), y.phase(u.y), z.phase(u.z));
  }
  /// Of one of the cells that a row may touch; empty where it does not, or where nothing can be.
  __device__ Key key(const Coord& u, int32_t cell) const {
    const int32_t in_z = cell % z.cells, column = cell / z.cells;
    const int32_t in_y = column % y.cells, in_x = column / y.cells;
    if (!x.touches(u.x, in_x) || !y.touches(u.y, in_y) || !z.touches(u.z, in_z))
      return kEmptyKey<Key>;
    const int64_t cx = x.cell(u.x, in_x), cy = y.cell(u.y, in_y), cz = z.cell(u.z, in_z);
    if (!table.cells.holds_column(u.batch, cx, cy) || !table.cells.holds_z(cz))
      return kEmptyKey<Key>;
    return table.cells.template key<Key>(u.batch, cx, cy, cz);
  }
};

/// From a row's first position to an offset's.
struct CellSteps {
  int32_t x, y, z;

  __device__ CellSteps(const DeviceGeometry& of, int32_t o)
      : x(of.component_x(o) * of.x.dilation),
        y(of.component_y(o) * of.y.dilation),
        z(of.component_z(o) * of.z.dilation) {}
};

/// By all threads of a block: the cells of its rows, [rows, row_cells()], and their phases.
template <class Key>
__device__ void find_cells(const LookUpCells<Key>& job, int64_t first, int32_t rows,
                           FoundCell* found, uint32_t* phases) {
  const auto thread = static_cast<int32_t>(threadIdx.x), threads = static_cast<int32_t>(blockDim.x);
  const int32_t row_cells = job.row_cells(), items = rows * row_cells;
  for (int32_t begin = thread; begin < items; begin += kFindTogether * threads) {
    Key keys[kFindTogether];
    CellSlot<Key> slots[kFindTogether];
    unrolled<kFindTogether>([&](auto j) {
      const int32_t item = begin + j.value * threads;
      keys[j.value] = kEmptyKey<Key>;
      slots[j.value] = {};
      if (item >= items) return;
      const Coord u = job.out[first + item / row_cells];
      const int32_t cell = item % row_cells;
      if (cell == 0) phases[item / row_cells] = job.phases(u);
      keys[j.value] = job.key(u, cell);
      if (keys[j.value] != kEmptyKey<Key>)
        slots[j.value] = job.table.slots[home_slot(keys[j.value], job.table.last)];
    });
    unrolled<kFindTogether>([&](auto j) {
      const int32_t item = begin + j.value * threads;
      if (item >= items) return;
      const Cell cell = job.table.find(keys[j.value], slots[j.value]);
      const auto low = static_cast<uint32_t>(cell.bits);
      found[item] = {{{low, cell.begin},
                      {static_cast<uint32_t>(cell.bits >> 32),
                       cell.begin + static_cast<uint32_t>(gpu::popcount(low))}}};
    });
  }
}

/// A block finds the cells of its rows; then 32 lanes ask for 32 offsets of a row and write them as
/// one piece, with their word of the mask.
template <class Key>
GPU_KERNEL void __launch_bounds__(kCellThreads) look_up_cells_kernel(LookUpCells<Key> job) {
  constexpr int32_t kGroups = kCellThreads / 32;
  const auto thread = static_cast<int32_t>(threadIdx.x);
  const int32_t lane = thread % 32, group = thread / 32, words = job.mask_words();
  const int32_t volume = job.geometry.kernel_volume, row_cells = job.row_cells();
  auto* found = gpu::dynamic_shared<FoundCell>();
  auto* phases = reinterpret_cast<uint32_t*>(found + job.block_rows * row_cells);
  uint32_t* masks = phases + job.block_rows;  // [block_rows, words]
  const int64_t first = int64_t{blockIdx.x} * job.block_rows, left = job.n - first;
  const int32_t rows = left < job.block_rows ? static_cast<int32_t>(left) : job.block_rows;
  find_cells(job, first, rows, found, phases);
  gpu::sync_threads();

  const auto neighbor = [&](int32_t row, const CellSteps& steps) {
    const auto phase = static_cast<int32_t>(phases[row]);
    constexpr int32_t kLast = kCellEdge - 1;
    const int32_t x = (phase >> 2 * kCellShift) + steps.x;
    const int32_t y = (phase >> kCellShift & kLast) + steps.y, z = (phase & kLast) + steps.z;
    const int32_t column = (x >> kCellShift) * job.y.cells + (y >> kCellShift);
    const int32_t cell = row * row_cells + column * job.z.cells + (z >> kCellShift);
    const uint32_t bit = bit_in_cell(x, y, z);
    const HalfCell half = found[cell].halves[bit / 32];
    const uint32_t mask = uint32_t{1} << bit % 32;
    if (!(half.bits & mask)) return -1;
    return job.rows[half.begin + static_cast<uint32_t>(gpu::popcount(half.bits & (mask - 1)))];
  };
  for (int32_t word = 0; word < words; ++word) {
    const int32_t o = 32 * word + lane;
    const CellSteps steps(job.geometry, o);
    for (int32_t begin = 0; begin < rows; begin += kRowsTogether * kGroups) {
      int32_t values[kRowsTogether];
      unrolled<kRowsTogether>([&](auto j) {
        const int32_t row = begin + j.value * kGroups + group;
        values[j.value] = o < volume && row < rows ? neighbor(row, steps) : -1;
      });
      unrolled<kRowsTogether>([&](auto j) {
        const int32_t row = begin + j.value * kGroups + group;
        const uint64_t there = gpu::ballot(values[j.value] >= 0) >> gpu::lane() / 32 * 32;
        if (row >= rows) return;
        if (o < volume) job.map[(first + row) * volume + o] = values[j.value];
        if (lane == 0) masks[row * words + word] = static_cast<uint32_t>(there);
      });
    }
  }
  gpu::sync_threads();
  for (int32_t i = thread; i < rows * words; i += kCellThreads)
    job.masks[first * words + i] = masks[i];
  const uint32_t mask = thread < rows ? masks[thread * words] : 0;
  if (job.sort_keys && thread < rows) job.rule.write(first + thread, mask, job.sort_keys);
  if (!job.columns.words) return;
  uint32_t* columns = masks + job.block_rows * words;
  if (thread < kColumnBlock) stage_columns(mask, volume, columns);
  gpu::sync_threads();
  write_columns(columns, first, volume, job.columns);
}

}  // namespace spb::maps
