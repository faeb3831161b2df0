#include "gpu/launch.cuh"
#include "kernels/gather_gemm/slice.h"
#include "kernels/schedule/item.h"

namespace spb::plans {
namespace {

constexpr int64_t kMost32 = int64_t{1} << 32;
/// Positions behind the last item that blocks ask for, at most: three each.
constexpr int64_t kMostOvershoot = 1 << 16;

GPU_KERNEL void items_kernel(const int64_t* begin, const int32_t* order, int64_t tiles,
                             int64_t items, RowItemShape shape, DealtHands hands, RowItem* out) {
  const int64_t item = gpu::global_index();
  if (item >= items) return;
  const int64_t column = item % shape.column_tiles;
  const int64_t slice = item / shape.column_tiles % shape.split;
  const int64_t turn = item / shape.column_tiles / shape.split;  // of all segments
  const int64_t segment = turn / tiles;
  const int64_t tile = order ? order[turn] : turn - segment * tiles;
  const int64_t listed = segment * tiles + tile;
  const int64_t steps = (begin[listed + 1] - begin[listed]) * shape.depth_steps;
  const int64_t first = slice_begin(slice, shape.split, steps);
  const int64_t count = slice_begin(slice + 1, shape.split, steps) - first;
  RowItem written;
  written.entry = static_cast<uint32_t>(begin[listed] + first / shape.depth_steps);
  written.packed_steps =
      static_cast<uint32_t>(count | first % shape.depth_steps << RowItem::kStepBits);
  written.tile = static_cast<uint32_t>(tile);
  written.packed_column = static_cast<uint32_t>(column | (segment + slice) << RowItem::kColumnBits);
  out[hands.begin ? hands.place(turn, column, shape.column_tiles) : item] = written;
}

}  // namespace

bool row_items_fit(int64_t row_tiles, int kernel_volume, const RowItemShape& shape) {
  constexpr int64_t kMostColumns = 1 << RowItem::kColumnBits, kMostSlices = 1 << 16;
  constexpr int64_t kMostSteps = 1 << RowItem::kStepBits;
  constexpr int64_t kMostDepthSteps = 1 << (32 - RowItem::kStepBits);
  return row_tiles * kernel_volume < kMost32 &&
         row_items_of(row_tiles, shape) < kMost32 - kMostOvershoot &&
         int64_t{kernel_volume} * shape.depth_steps < kMostSteps &&
         shape.depth_steps <= kMostDepthSteps && shape.column_tiles < kMostColumns &&
         shape.split < kMostSlices;
}

void write_row_items(const maps::TileLists& lists, const gpu::Buffer<int32_t>& tile_order,
                     const RowItemShape& shape, const RowHands& hands, RowItem* out,
                     const gpu::Stream& stream) {
  const int64_t items = row_items_of(lists, shape);
  gpu::launch_flat(items_kernel, items, stream, lists.valid_kernel_seg.data(),
                   tile_order.size() > 0 ? tile_order.data() : nullptr, lists.tiles, items, shape,
                   hands.view(), out);
}

}  // namespace spb::plans
