// SPDX-License-Identifier: Apache-2.0
// Pair lists per offset: count, scan, stable scatter. No atomics, so the lists never vary.
#include <bit>

#include "gpu/launch.cuh"
#include "gpu/primitives.h"
#include "maps/lists/list_parts.h"
#include "maps/pairs/chunk.h"
#include "maps/pairs/pair_fill.cuh"
#include "maps/pairs/unrolled.cuh"
#include "maps/table/pending_map.h"

namespace spb::maps {
namespace {

constexpr int32_t kFillBlock = 256;
constexpr unsigned kColumnsKernelBlock =
    64;  // few threads with much to do each: spread over the device

/// Bit j of word i becomes bit i of word j: blocks of kStep bits and words change places.
template <int kStep = 16>
__device__ inline void transpose(uint32_t (&words)[32]) {
  constexpr uint32_t kLow = ~uint32_t{0} / ((uint32_t{1} << kStep) + 1);  // of each 2 kStep bits
  unrolled<16>([&](auto pair) {
    constexpr int kFirst = pair.value / kStep * 2 * kStep + pair.value % kStep;
    uint32_t &a = words[kFirst], &b = words[kFirst + kStep];
    const uint32_t differing = (a >> kStep ^ b) & kLow;
    a ^= differing << kStep;
    b ^= differing;
  });
  if constexpr (kStep > 1) transpose<kStep / 2>(words);
}

/// Item = (mask word, chunk): neighboring threads write neighboring places of a column.
GPU_KERNEL void __launch_bounds__(kColumnsKernelBlock)
    columns_kernel(const uint32_t* masks, int64_t n, int32_t words_per_row, int32_t kernel_volume,
                   ColumnCounts columns) {
  gpu::wait_for_earlier_kernels();
  const int64_t chunks = columns.chunks;
  const int64_t item = gpu::global_index();
  if (item == 0) columns.counts[chunks * kernel_volume] = 0;
  if (item >= chunks * words_per_row) return;
  const int64_t word = item / chunks, chunk = item - word * chunks;
  const int64_t row = chunk * kColumnRows;
  uint32_t low[32], high[32];
  unrolled<32>([&](auto i) {
    low[i.value] = row + i.value < n ? masks[(row + i.value) * words_per_row + word] : 0;
    high[i.value] = row + 32 + i.value < n ? masks[(row + 32 + i.value) * words_per_row + word] : 0;
  });
  transpose(low);
  transpose(high);
  unrolled<32>([&](auto bit) {
    const int64_t o = 32 * word + bit.value;
    if (o >= kernel_volume) return;
    const uint64_t rows = uint64_t{high[bit.value]} << 32 | low[bit.value];
    columns.words[o * chunks + chunk] = rows;
    columns.counts[o * chunks + chunk] = gpu::popcount(rows);
  });
}

GPU_KERNEL void offset_begin_kernel(const int64_t* begin, int64_t chunks, int32_t kernel_volume,
                                    int64_t* offset_begin) {
  gpu::wait_for_earlier_kernels();
  const int64_t o = gpu::global_index();
  if (o <= kernel_volume) offset_begin[o] = begin[o * chunks];
}

GPU_KERNEL void __launch_bounds__(kFillBlock) fill_pairs_kernel(PairFill fill) {
  gpu::wait_for_earlier_kernels();
  write_pairs(fill, blockIdx.x);
}

}  // namespace

PairColumns empty_columns(const RowMasks& masks, BuildContext context) {
  PairColumns columns;
  columns.chunks = (masks.n_rows + kColumnRows - 1) / kColumnRows;
  columns.words = gpu::Buffer<uint64_t>(context.allocator, columns.chunks * masks.kernel_volume,
                                        gpu::Tag::workspace);
  return columns;
}

void count_pairs(const RowMasks& masks, const ColumnCounts& columns, BuildContext context) {
  const int64_t items = columns.chunks * masks.words_per_row;
  const unsigned grid = gpu::grid_of(items / kColumnsKernelBlock + 1);
  gpu::launch_few_early(columns_kernel, dim3(grid), dim3(kColumnsKernelBlock), 0, context.stream,
                        masks.words.data(), masks.n_rows, masks.words_per_row, masks.kernel_volume,
                        columns);
}

size_t PairFill::shared_bytes(unsigned block_rows) const {
  const auto parts = static_cast<size_t>(columns_of(static_cast<int32_t>(block_rows)));
  return static_cast<size_t>(kernel_volume) *
         (parts * sizeof(ColumnPart) + block_rows * sizeof(int32_t));
}

std::optional<PairFill> pairs_to_fill(const NeighborMap& forward, const PairColumns& columns,
                                      const int64_t* begin, KernelMap& pairs,
                                      BuildContext context) {
  const int64_t n_pairs = pairs.offset_begin_host.back();
  pairs.fine_index = gpu::Buffer<int32_t>(context.allocator, n_pairs, gpu::Tag::plan);
  pairs.coarse_index = gpu::Buffer<int32_t>(context.allocator, n_pairs, gpu::Tag::plan);
  if (n_pairs == 0) return {};
  return PairFill{.map = forward.rows.data(),
                  .n = forward.n_rows,
                  .kernel_volume = forward.kernel_volume,
                  .chunks = columns.chunks,
                  .columns = columns.words.data(),
                  .begin = begin,
                  .fine_index = pairs.fine_index.data(),
                  .coarse_index = pairs.coarse_index.data()};
}

void launch_fill(const PairFill& pairs, const gpu::Stream& stream) {
  const auto block =
      std::bit_floor(static_cast<unsigned>(staged_rows(pairs.kernel_volume, kFillBlock)));
  gpu::launch_few_early(fill_pairs_kernel, dim3(gpu::grid_of(pairs.blocks(block))), dim3(block),
                        pairs.shared_bytes(block), stream, pairs);
}

KernelMap build_kernel_map(const NeighborMap& forward, BuildContext context) {
  auto& [allocator, stream] = context;
  const RowMasks masks = build_masks(forward, context);
  PairColumns columns = empty_columns(masks, context);
  gpu::Buffer<int64_t> begin(allocator, columns.counts(), gpu::Tag::workspace);
  count_pairs(masks, {columns.words.data(), begin.data(), columns.chunks}, context);
  gpu::exclusive_scan(begin.data(), begin.data(), begin.size(), allocator, stream);

  KernelMap pairs;
  pairs.offset_begin = gpu::Buffer<int64_t>(allocator, forward.kernel_volume + 1, gpu::Tag::plan);
  gpu::launch_flat_few_early(offset_begin_kernel, forward.kernel_volume + 1, stream, begin.data(),
                             columns.chunks, forward.kernel_volume, pairs.offset_begin.data());
  pairs.offset_begin_host = pairs.offset_begin.download(stream);
  if (const auto fill = pairs_to_fill(forward, columns, begin.data(), pairs, context))
    launch_fill(*fill, stream);
  return pairs;
}

}  // namespace spb::maps
