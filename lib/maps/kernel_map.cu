// Pair lists per offset: count, scan, stable scatter. No atomics, so the lists never vary.
#include "gpu/launch.cuh"
#include "gpu/primitives.h"
#include "maps/list_parts.h"
#include "maps/pending_map.h"

namespace spb::maps {
namespace {

constexpr int64_t kChunkRows = 64;  // bits of a column's word

/// 32 rows of a column, from row `begin`.
__device__ inline uint32_t column_bits(const uint32_t* masks, int64_t begin, int64_t n,
                                       int32_t words_per_row, int32_t o) {
  const auto rows = static_cast<int32_t>(n - begin < 32 ? n - begin : 32);
  const uint32_t* word = masks + begin * words_per_row + o / 32;
  uint32_t bits = 0;
  for (int32_t row = 0; row < rows; ++row, word += words_per_row)
    bits |= (*word >> o % 32 & 1) << row;
  return bits;
}

/// Item = (chunk, offset), offsets fastest: neighboring threads read the same masks.
GPU_KERNEL void columns_kernel(const uint32_t* masks, int64_t n, int32_t words_per_row,
                               int32_t kernel_volume, int64_t chunks, uint64_t* columns,
                               int64_t* counts) {
  const int64_t item = gpu::global_index();
  const int64_t items = chunks * kernel_volume;
  if (item == items) counts[items] = 0;
  if (item >= items) return;
  const int64_t chunk = item / kernel_volume;
  const auto o = static_cast<int32_t>(item - chunk * kernel_volume);
  const int64_t row = chunk * kChunkRows;
  const uint64_t low = column_bits(masks, row, n, words_per_row, o);
  const uint64_t high = column_bits(masks, row + 32, n, words_per_row, o);
  const uint64_t bits = high << 32 | low;
  columns[o * chunks + chunk] = bits;
  counts[o * chunks + chunk] = gpu::popcount(bits);
}

GPU_KERNEL void offset_begin_kernel(const int64_t* begin, int64_t chunks, int32_t kernel_volume,
                                    int64_t* offset_begin) {
  const int64_t o = gpu::global_index();
  if (o <= kernel_volume) offset_begin[o] = begin[o * chunks];
}

/// A block stages its rows of the map, then each thread places the pairs of one row; at one offset
/// the places of neighboring rows follow one another.
GPU_KERNEL void __launch_bounds__(256)
    fill_pairs_kernel(const int32_t* map, int64_t n, int32_t kernel_volume, int64_t chunks,
                      const uint64_t* columns, const int64_t* begin, int32_t* in_index,
                      int32_t* out_index) {
  int32_t* staged = gpu::dynamic_shared<int32_t>();
  const int64_t first = int64_t{blockIdx.x} * blockDim.x;
  const int64_t rows = n - first < blockDim.x ? n - first : blockDim.x;
  const auto entries = static_cast<int32_t>(rows) * kernel_volume;
  const int32_t* from = map + first * kernel_volume;
  for (auto i = static_cast<int32_t>(threadIdx.x); i < entries;
       i += static_cast<int32_t>(blockDim.x))
    staged[i] = from[i];
  gpu::sync_threads();
  const int64_t row = first + threadIdx.x;
  if (row >= n) return;
  const int64_t chunk = row / kChunkRows;
  const uint64_t before = (uint64_t{1} << row % kChunkRows) - 1;
  const int32_t* neighbors = staged + static_cast<int32_t>(threadIdx.x) * kernel_volume;
  const int64_t base = begin[0];
  for (int32_t o = 0; o < kernel_volume; ++o) {
    const int32_t neighbor = neighbors[o];
    if (neighbor < 0) continue;
    const int64_t item = o * chunks + chunk;
    const int64_t pair = begin[item] - base + gpu::popcount(columns[item] & before);
    in_index[pair] = neighbor;
    out_index[pair] = static_cast<int32_t>(row);
  }
}

}  // namespace

PairColumns empty_columns(const RowMasks& masks, BuildContext context) {
  PairColumns columns;
  columns.chunks = (masks.n_rows + kChunkRows - 1) / kChunkRows;
  columns.words = gpu::Buffer<uint64_t>(context.allocator, columns.chunks * masks.kernel_volume,
                                        gpu::Tag::workspace);
  return columns;
}

void count_pairs(const RowMasks& masks, PairColumns& columns, int64_t* counts,
                 BuildContext context) {
  gpu::launch_flat(columns_kernel, columns.counts(), context.stream, masks.words.data(),
                   masks.n_rows, masks.words_per_row, masks.kernel_volume, columns.chunks,
                   columns.words.data(), counts);
}

void fill_pairs(const NeighborMap& forward, const PairColumns& columns, const int64_t* begin,
                KernelMap& pairs, BuildContext context) {
  auto& [allocator, stream] = context;
  const int64_t n_pairs = pairs.offset_begin_host.back();
  pairs.in_index = gpu::Buffer<int32_t>(allocator, n_pairs, gpu::Tag::plan);
  pairs.out_index = gpu::Buffer<int32_t>(allocator, n_pairs, gpu::Tag::plan);
  if (n_pairs == 0) return;
  const unsigned block = staged_rows(forward.kernel_volume, 256);
  const auto grid = static_cast<unsigned>((forward.n_out + block - 1) / block);
  gpu::launch(fill_pairs_kernel, dim3(grid), dim3(block),
              staged_bytes(block, forward.kernel_volume), stream, forward.rows.data(),
              forward.n_out, forward.kernel_volume, columns.chunks, columns.words.data(), begin,
              pairs.in_index.data(), pairs.out_index.data());
}

KernelMap build_kernel_map(const NeighborMap& forward, BuildContext context) {
  auto& [allocator, stream] = context;
  const RowMasks masks = build_masks(forward, context);
  PairColumns columns = empty_columns(masks, context);
  gpu::Buffer<int64_t> begin(allocator, columns.counts(), gpu::Tag::workspace);
  count_pairs(masks, columns, begin.data(), context);
  gpu::exclusive_scan(begin.data(), begin.data(), begin.size(), allocator, stream);

  KernelMap pairs;
  pairs.offset_begin = gpu::Buffer<int64_t>(allocator, forward.kernel_volume + 1, gpu::Tag::plan);
  gpu::launch_flat(offset_begin_kernel, forward.kernel_volume + 1, stream, begin.data(),
                   columns.chunks, forward.kernel_volume, pairs.offset_begin.data());
  pairs.offset_begin_host = pairs.offset_begin.download(stream);
  fill_pairs(forward, columns, begin.data(), pairs, context);
  return pairs;
}

}  // namespace spb::maps
