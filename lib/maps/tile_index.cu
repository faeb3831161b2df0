// The input rows of every tile in tile order, so that a kernel reads them in sequence.
#include "gpu/launch.cuh"
#include "maps/pending_map.h"

namespace spb::maps {
namespace {

constexpr int32_t kMostRows = 128;  // positions of a block

/// A block stages the map's rows of `rows` positions of one tile, then writes them offset by
/// offset. Tiles too high for a block are cut in `parts`.
GPU_KERNEL void __launch_bounds__(kMostRows)
    tile_index_kernel(const int32_t* map, const int32_t* order, int64_t n, int32_t kernel_volume,
                      int32_t tile_rows, int32_t parts, const int64_t* seg,
                      const int32_t* valid_kernel, int32_t* tile_index) {
  int32_t* staged = gpu::dynamic_shared<int32_t>();
  const auto rows = static_cast<int32_t>(blockDim.x), thread = static_cast<int32_t>(threadIdx.x);
  const int64_t tile = blockIdx.x / static_cast<unsigned>(parts);
  const int32_t part_begin = static_cast<int32_t>(blockIdx.x % static_cast<unsigned>(parts)) * rows;
  const int64_t first = tile * tile_rows + part_begin;  // position

  // Neighboring threads read neighboring entries of a row: (row, o) advances by `rows` entries.
  const int32_t row_step = rows / kernel_volume, o_step = rows % kernel_volume;
  int32_t row = thread / kernel_volume, o = thread % kernel_volume;
  for (int32_t i = thread; i < rows * kernel_volume; i += rows) {
    const int64_t position = first + row;
    if (position < n) {
      const int64_t from = order ? int64_t{order[position]} : position;
      staged[i] = map[from * kernel_volume + o];
    } else {
      staged[i] = -1;
    }
    row += row_step;
    o += o_step;
    if (o >= kernel_volume) {
      o -= kernel_volume;
      ++row;
    }
  }
  gpu::sync_threads();
  if (part_begin + thread >= tile_rows) return;
  const int64_t end = seg[tile + 1];
  for (int64_t item = seg[tile]; item < end; ++item)
    tile_index[item * tile_rows + part_begin + thread] =
        staged[thread * kernel_volume + valid_kernel[item]];
}

}  // namespace

void build_tile_index(const NeighborMap& map, TileLists& lists, BuildContext context) {
  lists.tile_index =
      gpu::Buffer<int32_t>(context.allocator, lists.listed * lists.tile_rows, gpu::Tag::plan);
  if (lists.listed == 0) return;
  const unsigned rows = staged_rows(map.kernel_volume, std::min(lists.tile_rows, kMostRows));
  const auto parts =
      static_cast<int32_t>((static_cast<unsigned>(lists.tile_rows) + rows - 1) / rows);
  const auto grid = static_cast<unsigned>(lists.tiles * parts);
  gpu::launch(tile_index_kernel, dim3(grid), dim3(rows), staged_bytes(rows, map.kernel_volume),
              context.stream, map.rows.data(), lists.order.data(), lists.n_rows, map.kernel_volume,
              lists.tile_rows, parts, lists.valid_kernel_seg.data(), lists.valid_kernel.data(),
              lists.tile_index.data());
}

}  // namespace spb::maps
