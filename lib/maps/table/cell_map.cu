// SPDX-License-Identifier: Apache-2.0
// The dense table of neighbors by cells: insert the fine rows as bits, give each cell a place for
// its rows, put them there, look every coarse row up.
#include "maps/pairs/lane_sum.cuh"
#include "maps/table/insert_rows.cuh"
#include "maps/table/key_width.h"
#include "maps/table/look_up_cells.cuh"
#include "maps/table/pending_map.h"

namespace spb::maps {
namespace {

constexpr int kPlacedSlots = 8;  // of a thread that gives cells their places

template <class Key>
struct InsertVoxel {
  CellTableRef<Key> table;
  __device__ Inserted operator()(const Coord& p, uint32_t /*row*/) const { return table.insert(p); }
};

/// The cells of a block follow one another in the order of its slots, and blocks as they come:
/// where rows lie varies from run to run, which rows a cell has does not.
template <class Key>
GPU_KERNEL void __launch_bounds__(gpu::kFlatBlock)
    place_cells_kernel(CellTableRef<Key> table, uint32_t* placed) {
  __shared__ uint32_t warp_sums[gpu::kFlatBlock / 32];
  __shared__ uint32_t begin_of_block;
  const int64_t capacity = int64_t{1} + static_cast<int64_t>(table.last);
  // A warp's slots follow one another, its lanes in turn.
  const int64_t first =
      (int64_t{blockIdx.x} * gpu::kFlatBlock + int64_t{gpu::warp_index()} * gpu::warp_size()) *
          kPlacedSlots +
      gpu::lane();
  uint32_t counts[kPlacedSlots], begins[kPlacedSlots], sum = 0;
  unrolled<kPlacedSlots>([&](auto i) {
    const int64_t slot = first + i.value * gpu::warp_size();
    counts[i.value] =
        slot < capacity ? static_cast<uint32_t>(gpu::popcount(table.slots[slot].bits)) : 0;
  });
  unrolled<kPlacedSlots>([&](auto i) {
    const uint32_t up_to = sum_lanes(counts[i.value]);
    begins[i.value] = sum + up_to - counts[i.value];
    sum += gpu::shuffle(up_to, gpu::warp_size() - 1);
  });
  if (gpu::lane() == 0) warp_sums[gpu::warp_index()] = sum;
  gpu::sync_threads();
  uint32_t before = 0, all = 0;
  for (int warp = 0; warp < gpu::kFlatBlock / gpu::warp_size(); ++warp) {
    if (warp < gpu::warp_index()) before += warp_sums[warp];
    all += warp_sums[warp];
  }
  if (threadIdx.x == 0) begin_of_block = all > 0 ? gpu::atomic_add(placed, all) : 0;
  gpu::sync_threads();
  unrolled<kPlacedSlots>([&](auto i) {
    if (counts[i.value] > 0)
      table.set_begin(static_cast<Key>(first + i.value * gpu::warp_size()),
                      begin_of_block + before + begins[i.value]);
  });
}

/// Rows that found no slot are left out; of repeated ones any is put.
template <class Key>
GPU_KERNEL void put_rows_kernel(const Coord* in, int64_t n, DeviceBox box, CellTableRef<Key> table,
                                int32_t* rows) {
  const int64_t row = gpu::global_index();
  if (row >= n || !box.holds(in[row])) return;
  const Coord p = in[row];
  const Key key = table.key(p);
  const Cell cell = table.find(key, table.slots[home_slot(key, table.last)]);
  if (cell.bits == 0) return;
  const uint64_t lower = (uint64_t{1} << bit_in_cell(p.x, p.y, p.z)) - 1;
  rows[cell.begin + static_cast<uint32_t>(gpu::popcount(cell.bits & lower))] =
      static_cast<int32_t>(row);
}

template <class Key>
void enqueue_cells(const Sides& sides, const ConvGeometry& convolution, PendingMap& pending,
                   KeyedRows& keyed, const ColumnCounts& columns, gpu::Buffer<uint32_t>& zeros,
                   BuildContext context) {
  auto& [allocator, stream] = context;
  const auto& [fine, coarse, origin] = sides;
  const int64_t capacity = pending.capacity;
  gpu::Buffer<uint64_t> memory(allocator, CellTableRef<Key>::words(capacity), gpu::Tag::plan);
  gpu::Buffer<int32_t> rows(allocator, fine.n, gpu::Tag::plan);
  const CellTableRef<Key> table(box_of_cells(fine.box), memory.data(), capacity);
  const DeviceBox box(fine.box);
  clear_table(reinterpret_cast<TwoWords*>(memory.data()), table.cleared_slots(capacity),
              {~uint64_t{0}, 0}, pending.status.data(), keyed.zeros, zeros, stream);
  gpu::launch_flat(insert_rows_kernel<InsertVoxel<Key>>, fine.n, stream, fine.rows, fine.n, box,
                   InsertVoxel<Key>{table}, pending.status.data());
  gpu::launch(place_cells_kernel<Key>,
              dim3(gpu::grid_of(tiles_of(capacity, kPlacedSlots * gpu::kFlatBlock))),
              dim3(gpu::kFlatBlock), 0, stream, table, table.placed_rows());
  gpu::launch_flat(put_rows_kernel<Key>, fine.n, stream, fine.rows, fine.n, box, table,
                   rows.data());

  const DeviceGeometry geometry(convolution, origin);
  LookUpCells<Key> job{coarse.rows,
                       coarse.n,
                       table,
                       rows.data(),
                       geometry,
                       CellAxis(geometry.x),
                       CellAxis(geometry.y),
                       CellAxis(geometry.z),
                       0,
                       pending.map.rows.data(),
                       pending.masks.words.data(),
                       keyed.rule,
                       keyed.keys.data(),
                       {}};
  job.block_rows = staged_rows(job.row_words(), kColumnBlock);
  const bool with_columns = pending.masks.words_per_row == 1 && job.block_rows == kColumnBlock;
  if (with_columns) job.columns = columns;
  gpu::launch(look_up_cells_kernel<Key>, dim3(gpu::grid_of(tiles_of(coarse.n, job.block_rows))),
              dim3(kCellThreads), job.shared_bytes(), stream, job);
  // Of no rows, only the closing count is left to write.
  if (columns.words && (!with_columns || coarse.n == 0))
    count_pairs(pending.masks, columns, context);
}

}  // namespace

void start_cell_map(const Sides& sides, const ConvGeometry& geometry, PendingMap& pending,
                    KeyedRows& keyed, const ColumnCounts& columns, gpu::Buffer<uint32_t>& zeros,
                    BuildContext context, const HashOptions& hash) {
  const bool short_keys = key_width(cell_count(box_of_cells(sides.fine.box)), hash.key_bits) == 32;
  (short_keys ? enqueue_cells<uint32_t> : enqueue_cells<uint64_t>)(sides, geometry, pending, keyed,
                                                                   columns, zeros, context);
}

}  // namespace spb::maps
