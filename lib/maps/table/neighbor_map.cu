// SPDX-License-Identifier: Apache-2.0
// The dense table of neighbors: insert the fine rows, look every (coarse row, offset) up.
#include <algorithm>

#include "gpu/launch.cuh"
#include "maps/pairs/chunk.h"
#include "maps/table/build_error.h"
#include "maps/table/cells.h"
#include "maps/table/insert_rows.cuh"
#include "maps/table/key_width.h"
#include "maps/table/look_up_half.cuh"
#include "maps/table/pending_map.h"

namespace spb::maps {
namespace {

template <class Key>
struct InsertRow {
  DeviceBox box;
  RowTableRef<Key> table;

  __device__ Inserted operator()(const Coord& p, uint32_t row) const {
    return insert(table, box.key<Key>(p), row);
  }
};

/// Item = (coarse u, offset o) of the forward map. By fact 1 of algorithms.md, section 2, every
/// entry of the reverse map has at most one writer.
GPU_KERNEL void reverse_kernel(const int32_t* forward, int64_t items, int32_t kernel_volume,
                               int32_t* reverse) {
  gpu::wait_for_earlier_kernels();
  const int64_t item = gpu::global_index();
  if (item >= items || forward[item] < 0) return;
  reverse[int64_t{forward[item]} * kernel_volume + item % kernel_volume] =
      static_cast<int32_t>(item / kernel_volume);
}

/// Masks and columns come of a pass of their own: a row's entries have many writers.
template <class Key>
void look_up_half(const LookUp<Key>& job, PendingMap& pending, const ColumnCounts& columns,
                  BuildContext context) {
  NeighborMap& map = pending.map;
  gpu::fill_bytes(map.rows.data(), 0xFF, map.rows.bytes(), context.stream);
  gpu::launch_few_early(
      map.kernel_volume == kCommonVolume ? look_up_half_kernel<kCommonVolume / 2, Key>
                                         : look_up_half_kernel<0, Key>,
      dim3(gpu::grid_of((job.n + kLookUpBlock - 1) / kLookUpBlock)), dim3(kLookUpBlock),
      half_shared_bytes(job, kLookUpBlock), context.stream, job);
  pending.masks = build_masks(map, context);
  if (columns.words) count_pairs(pending.masks, columns, context);
}

template <class Key>
void enqueue(const Sides& sides, const ConvGeometry& geometry, PendingMap& pending,
             KeyedRows& keyed, const ColumnCounts& columns, gpu::Buffer<uint32_t>& zeros,
             BuildContext context, bool half) {
  auto& [allocator, stream] = context;
  const int64_t pairs = (RowTableRef<Key>::words(pending.capacity) + 1) / 2;
  gpu::Buffer<uint64_t> memory(allocator, 2 * pairs, gpu::Tag::plan);
  const RowTableRef<Key> table(memory.data(), pending.capacity);
  const DeviceBox box(sides.fine.box);
  clear_table(reinterpret_cast<TwoWords*>(memory.data()), pairs, {~uint64_t{0}, ~uint64_t{0}},
              pending.status.data(), keyed.zeros, zeros, stream);
  gpu::launch_flat_few_early(insert_rows_kernel<InsertRow<Key>>, sides.fine.n, stream,
                             sides.fine.rows, sides.fine.n, box, InsertRow<Key>{box, table},
                             pending.status.data());
  const int volume = pending.map.kernel_volume;
  const bool one_word = pending.masks.words_per_row == 1;
  const auto block = static_cast<unsigned>(staged_rows(volume, kLookUpBlock));
  const unsigned grid = gpu::grid_of((sides.coarse.n + block - 1) / block);
  const LookUp<Key> job{sides.coarse.rows,
                        sides.coarse.n,
                        box,
                        DeviceGeometry(geometry, sides.origin),
                        table,
                        pending.map.rows.data(),
                        pending.masks.words.data(),
                        keyed.rule,
                        keyed.keys.data(),
                        one_word ? columns : ColumnCounts()};
  if (half) return look_up_half(job, pending, columns, context);
  const auto kernel = volume != kCommonVolume ? look_up_kernel<0, false, Key>
                      : job.by_columns()      ? look_up_kernel<kCommonVolume, true, Key>
                                              : look_up_kernel<kCommonVolume, false, Key>;
  gpu::launch_few_early(kernel, dim3(grid), dim3(block), job.shared_bytes(block), stream, job);
  // Of no rows, only the closing count is left to write.
  if (columns.words && (!one_word || sides.coarse.n == 0))
    count_pairs(pending.masks, columns, context);
}

NeighborMap empty_map(int64_t n_rows, int kernel_volume, BuildContext context) {
  NeighborMap map;
  map.n_rows = n_rows;
  map.kernel_volume = kernel_volume;
  map.rows = gpu::Buffer<int32_t>(context.allocator, n_rows * kernel_volume, gpu::Tag::plan);
  return map;
}

}  // namespace

PendingMap empty_pending_map(const Sides& sides, const ConvGeometry& geometry, BuildContext context,
                             const HashOptions& hash) {
  if (const auto reason = invalid(geometry)) throw usage_error("geometry", *reason);
  if (hash.half && geometry.kind != ConvKind::subm)
    throw usage_error("maps", "half of the lookups are enough for a submanifold map alone");
  const bool by_cells = hash.table_of == TableOf::cells;
  if (const auto reason = by_cells ? no_cells(geometry) : std::nullopt)
    throw usage_error("maps by cells", *reason);
  check_row_count("fine coords", sides.fine.n);
  check_row_count("coarse coords", sides.coarse.n);
  PendingMap pending;
  const Box& box = sides.fine.box;
  const int bits = key_width(cell_count(by_cells ? box_of_cells(box) : box), hash.key_bits);
  pending.capacity =
      by_cells ? cell_capacity(sides.fine.n, hash, bits) : table_capacity(sides.fine.n, hash, bits);
  pending.status = gpu::Buffer<InsertStatus>(context.allocator, 1, gpu::Tag::workspace);
  pending.map = empty_map(sides.coarse.n, geometry.kernel_volume(), context);
  pending.map.kernel_size = geometry.kernel_size;
  // Every row of a submanifold map is its own neighbor at the center.
  if (geometry.kind == ConvKind::subm) pending.map.common_offset = pending.map.kernel_volume / 2;
  pending.masks = empty_masks(pending.map, context);
  return pending;
}

void start_neighbor_map(const Sides& sides, const ConvGeometry& geometry, PendingMap& pending,
                        KeyedRows& keyed, const ColumnCounts& columns, gpu::Buffer<uint32_t>& zeros,
                        BuildContext context, const HashOptions& hash) {
  if (hash.table_of == TableOf::cells)
    start_cell_map(sides, geometry, pending, keyed, columns, zeros, context, hash);
  else if (key_width(cell_count(sides.fine.box), hash.key_bits) == 32)
    enqueue<uint32_t>(sides, geometry, pending, keyed, columns, zeros, context, hash.half);
  else
    enqueue<uint64_t>(sides, geometry, pending, keyed, columns, zeros, context, hash.half);
}

NeighborMap reverse_neighbor_map(const NeighborMap& forward, int64_t n_fine, BuildContext context) {
  check_row_count("fine coords", n_fine);
  NeighborMap reverse = empty_map(n_fine, forward.kernel_volume, context);
  reverse.kernel_size = forward.kernel_size;
  if (n_fine == 0) return reverse;
  const gpu::Stream& stream = context.stream;
  gpu::fill_bytes(reverse.rows.data(), 0xFF, reverse.rows.bytes(), stream);
  gpu::launch_flat_few_early(reverse_kernel, forward.rows.size(), stream, forward.rows.data(),
                             forward.rows.size(), forward.kernel_volume, reverse.rows.data());
  return reverse;
}

}  // namespace spb::maps
