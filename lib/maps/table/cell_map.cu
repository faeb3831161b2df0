// SPDX-License-Identifier: Apache-2.0
// The dense table of neighbors by cells: insert the fine rows, look every coarse row up.
#include "gpu/launch.cuh"
#include "maps/pairs/chunk.h"
#include "maps/table/insert_rows.cuh"
#include "maps/table/key_width.h"
#include "maps/table/look_up_cells.cuh"
#include "maps/table/pending_map.h"

namespace spb::maps {
namespace {

template <class Key>
struct InsertVoxel {
  CellTableRef<Key> table;
  __device__ Inserted operator()(const Coord& p, uint32_t row) const {
    return table.insert(p, row);
  }
};

template <int kSize, class Key>
void launch_look_up(const LookUpCells<Key>& job, const gpu::Stream& stream) {
  gpu::launch_few_early(look_up_cells_kernel<kSize, Key>,
                        dim3(gpu::grid_of(tiles_of(job.n, job.template block_rows<kSize>()))),
                        dim3(CellBlock<kSize>::kThreads), shared_bytes<kSize>(job), stream, job);
}

template <class Key>
void enqueue_cells(const Sides& sides, const ConvGeometry& convolution, PendingMap& pending,
                   KeyedRows& keyed, const ColumnCounts& columns, gpu::Buffer<uint32_t>& zeros,
                   BuildContext context) {
  auto& [allocator, stream] = context;
  const auto& [fine, coarse, origin] = sides;
  const int64_t capacity = pending.capacity;
  const Box box_in_cells = box_of_cells(fine.box);
  static_assert(sizeof(CellSlot) == sizeof(TwoWords));
  gpu::Buffer<TwoWords> slots(allocator, capacity, gpu::Tag::plan);
  gpu::Buffer<FourRows> rows(allocator, capacity * kCellColumns, gpu::Tag::plan);
  const CellTableRef<Key> table{DeviceBox(box_in_cells), reinterpret_cast<CellSlot*>(slots.data()),
                                rows.data(), static_cast<Key>(capacity - 1)};
  clear_table(slots.data(), capacity, {~uint64_t{0}, 0}, pending.status.data(), keyed.zeros, zeros,
              stream);
  gpu::launch_flat_few_early(insert_rows_kernel<InsertVoxel<Key>>, fine.n, stream, fine.rows,
                             fine.n, DeviceBox(fine.box), InsertVoxel<Key>{table},
                             pending.status.data());

  const DeviceGeometry geometry(convolution, origin);
  LookUpCells<Key> job{coarse.rows,
                       coarse.n,
                       table,
                       geometry,
                       CellAxis(geometry.x, box_in_cells.shape[0]),
                       CellAxis(geometry.y, box_in_cells.shape[1]),
                       CellAxis(geometry.z, box_in_cells.shape[2]),
                       0,
                       pending.map.rows.data(),
                       pending.masks.words.data(),
                       keyed.rule,
                       keyed.keys.data(),
                       {}};
  job.rows_of_block =
      staged_rows(static_cast<int>(shared_row_bytes<0>(job) / sizeof(int32_t) + 1), kColumnBlock);
  constexpr Int3 kNear{1, 1, 1};
  const auto is_cube = [&](int32_t size) {
    return convolution.dilation == kNear && convolution.kernel_size == Int3{size, size, size};
  };
  const int size = is_cube(3) ? 3 : is_cube(5) ? 5 : is_cube(7) ? 7 : 0;
  const bool whole_blocks = size == 0 ? job.rows_of_block == kColumnBlock : size == 3;
  if (pending.masks.words_per_row == 1 && whole_blocks) job.columns = columns;
  (size == 3   ? launch_look_up<3, Key>
   : size == 5 ? launch_look_up<5, Key>
   : size == 7 ? launch_look_up<7, Key>
               : launch_look_up<0, Key>)(job, stream);
  // Of no rows, only the closing count is left to write.
  if (columns.words && (!job.columns.words || coarse.n == 0))
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
