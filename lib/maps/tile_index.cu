// The input rows of every tile in tile order, so that a kernel reads them in sequence.
#include "gpu/launch.cuh"
#include "maps/pending_map.h"

namespace spb::maps {
namespace {

constexpr int32_t kMostRows = 128;  // positions of a block

/// A block stages the map's rows of its threads' positions, then writes them offset by offset.
/// Tiles too high for a block are cut in `parts`.
GPU_KERNEL void __launch_bounds__(kMostRows)
    tile_index_kernel(const int32_t* map, const int32_t* order, int64_t n, int32_t kernel_volume,
                      int32_t tile_rows, int32_t parts, const int64_t* seg,
                      const int32_t* valid_kernel, int32_t* tile_index) {
  const auto thread = static_cast<int32_t>(threadIdx.x), threads = static_cast<int32_t>(blockDim.x);
  auto* staged = gpu::dynamic_shared<int32_t>();       // [threads, kernel_volume]
  int32_t* listed = staged + threads * kernel_volume;  // [kernel_volume]
  int32_t* rows = listed + kernel_volume;              // [threads]
  const int64_t tile = blockIdx.x / static_cast<unsigned>(parts);
  const int32_t in_tile =
      static_cast<int32_t>(blockIdx.x % static_cast<unsigned>(parts)) * threads + thread;
  const int64_t position = tile * tile_rows + in_tile;
  rows[thread] = position >= n ? -1 : order ? order[position] : static_cast<int32_t>(position);
  const int64_t begin = seg[tile];
  const auto count = static_cast<int32_t>(seg[tile + 1] - begin);
  for (int32_t i = thread; i < count; i += threads) listed[i] = valid_kernel[begin + i];
  gpu::sync_threads();

  // Neighboring threads read neighboring entries of a row: (row, o) advances by `threads` entries.
  const int32_t row_step = threads / kernel_volume, o_step = threads % kernel_volume;
  int32_t row = thread / kernel_volume, o = thread % kernel_volume;
  for (int32_t i = thread; i < threads * kernel_volume; i += threads) {
    const int32_t from = rows[row];
    const int32_t neighbor = map[int64_t{from < 0 ? 0 : from} * kernel_volume + o];
    staged[i] = from < 0 ? -1 : neighbor;
    row += row_step;
    o += o_step;
    if (o >= kernel_volume) {
      o -= kernel_volume;
      ++row;
    }
  }
  gpu::sync_threads();
  if (in_tile >= tile_rows) return;
  int32_t* to = tile_index + begin * tile_rows + in_tile;
  for (int32_t i = 0; i < count; ++i, to += tile_rows)
    *to = staged[thread * kernel_volume + listed[i]];
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
  const size_t shared = staged_bytes(rows + 1, map.kernel_volume) + rows * sizeof(int32_t);
  gpu::launch(tile_index_kernel, dim3(grid), dim3(rows), shared, context.stream, map.rows.data(),
              lists.order.data(), lists.n_rows, map.kernel_volume, lists.tile_rows, parts,
              lists.valid_kernel_seg.data(), lists.valid_kernel.data(), lists.tile_index.data());
}

}  // namespace spb::maps
