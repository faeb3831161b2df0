// The input rows of every tile in tile order, so that a kernel reads them in sequence.
#include <algorithm>

#include "gpu/launch.cuh"
#include "maps/list_parts.h"
#include "maps/pending_map.h"

namespace spb::maps {
namespace {

constexpr int32_t kMostRows = 128;  // positions of a block

/// The lists of all tiles: read, or written too when the masks they come from are given.
struct DeviceLists {
  const int64_t* begin;        // [tiles + 1] starts, plus begin[0]
  const uint32_t* tile_masks;  // [tiles, words], or null
  int64_t tiles;
  int64_t* seg;           // [tiles + 1]
  int32_t* valid_kernel;  // [listed]

  /// A block collects its tile's offsets in `listed`; one of a tile's blocks also `writes` them.
  __device__ int32_t collect(int64_t tile, int32_t kernel_volume, bool writes,
                             int32_t* listed) const {
    const auto thread = static_cast<int32_t>(threadIdx.x);
    const auto threads = static_cast<int32_t>(blockDim.x);
    const int64_t first = begin[tile] - begin[0];
    const auto count = static_cast<int32_t>(begin[tile + 1] - begin[tile]);
    if (!tile_masks) {
      for (int32_t i = thread; i < count; i += threads) listed[i] = valid_kernel[first + i];
      return count;
    }
    if (writes && thread == 0) seg[tile] = first;
    if (writes && thread == 0 && tile == tiles - 1) seg[tiles] = first + count;
    const uint32_t* words = tile_masks + tile * ((kernel_volume + 31) / 32);
    for (int32_t o = thread; o < kernel_volume; o += threads) {
      if (!(words[o / 32] >> o % 32 & 1)) continue;
      int32_t place = gpu::popcount(words[o / 32] & ((uint32_t{1} << o % 32) - 1));
      for (int32_t word = 0; word < o / 32; ++word) place += gpu::popcount(words[word]);
      listed[place] = o;
      if (writes) valid_kernel[first + place] = o;
    }
    return count;
  }
};

/// A block stages the map's rows of its threads' positions, then writes them offset by offset.
/// Tiles too high for a block are cut in `parts`.
GPU_KERNEL void __launch_bounds__(kMostRows)
    tile_index_kernel(const int32_t* map, const int32_t* order, int64_t n, int32_t kernel_volume,
                      int32_t tile_rows, int32_t parts, DeviceLists lists, int32_t* tile_index) {
  const auto thread = static_cast<int32_t>(threadIdx.x), threads = static_cast<int32_t>(blockDim.x);
  auto* staged = gpu::dynamic_shared<int32_t>();       // [threads, kernel_volume]
  int32_t* listed = staged + threads * kernel_volume;  // [kernel_volume]
  const int64_t tile = blockIdx.x / static_cast<unsigned>(parts);
  const auto part = static_cast<int32_t>(blockIdx.x % static_cast<unsigned>(parts));
  const int64_t first = tile * tile_rows + part * threads;  // position

  // Neighboring threads read neighboring entries of a row: (row, o) advances by `threads` entries.
  const int32_t row_step = threads / kernel_volume, o_step = threads % kernel_volume;
  int32_t row = thread / kernel_volume, o = thread % kernel_volume;
  for (int32_t i = thread; i < threads * kernel_volume; i += threads) {
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
  const int32_t count = lists.collect(tile, kernel_volume, part == 0, listed);
  gpu::sync_threads();
  const int32_t in_tile = part * threads + thread;
  if (in_tile >= tile_rows) return;
  int32_t* to = tile_index + (lists.begin[tile] - lists.begin[0]) * tile_rows + in_tile;
  for (int32_t i = 0; i < count; ++i, to += tile_rows)
    *to = staged[thread * kernel_volume + listed[i]];
}

void fill_index(const NeighborMap& map, const DeviceLists& device_lists, TileLists& lists,
                BuildContext context) {
  lists.tile_index =
      gpu::Buffer<int32_t>(context.allocator, lists.listed * lists.tile_rows, gpu::Tag::plan);
  const unsigned rows = staged_rows(map.kernel_volume, std::min(lists.tile_rows, kMostRows));
  const auto parts =
      static_cast<int32_t>((static_cast<unsigned>(lists.tile_rows) + rows - 1) / rows);
  const auto grid = static_cast<unsigned>(lists.tiles * parts);
  const size_t shared = staged_bytes(rows + 1, map.kernel_volume);
  gpu::launch(tile_index_kernel, dim3(grid), dim3(rows), shared, context.stream, map.rows.data(),
              lists.order.data(), lists.n_rows, map.kernel_volume, lists.tile_rows, parts,
              device_lists, lists.tile_index.data());
}

}  // namespace

void build_tile_index(const NeighborMap& map, TileLists& lists, BuildContext context) {
  fill_index(map,
             {lists.valid_kernel_seg.data(), nullptr, lists.tiles, lists.valid_kernel_seg.data(),
              lists.valid_kernel.data()},
             lists, context);
}

void fill_lists_and_index(const NeighborMap& map, const gpu::Buffer<uint32_t>& tile_masks,
                          const int64_t* begin, TileLists& lists, BuildContext context) {
  auto& [allocator, stream] = context;
  lists.valid_kernel_seg = gpu::Buffer<int64_t>(allocator, lists.tiles + 1, gpu::Tag::plan);
  lists.valid_kernel = gpu::Buffer<int32_t>(allocator, lists.listed, gpu::Tag::plan);
  if (lists.tiles == 0) gpu::fill_bytes(lists.valid_kernel_seg.data(), 0, sizeof(int64_t), stream);
  fill_index(map,
             {begin, tile_masks.data(), lists.tiles, lists.valid_kernel_seg.data(),
              lists.valid_kernel.data()},
             lists, context);
}

}  // namespace spb::maps
