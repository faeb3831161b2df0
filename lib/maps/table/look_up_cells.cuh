// SPDX-License-Identifier: Apache-2.0
// Looking up neighbors by cells: a block finds the cells of its rows, then looks all offsets up in
// them and writes rows as one piece, with their masks.
#pragma once

#include "gpu/launch.cuh"
#include "maps/pairs/unrolled.cuh"
#include "maps/table/cell_pieces.cuh"
#include "maps/table/cell_planes.cuh"

namespace spb::maps {

/// Strings the bits of a row's pieces together.
template <int kSize>
__device__ void write_mask(const PieceItems& items, const uint8_t* bits, uint32_t* mask) {
  uint32_t word = 0, filled = 0;
  const auto append = [&](uint32_t piece) {
    const uint32_t more = bits[piece], size = kSize > 0 ? kSize : items.size(piece);
    word |= more << filled;
    filled += size;
    if (filled < 32) return;
    *mask++ = word;
    filled -= 32;
    word = more >> (size - filled);
  };
  if constexpr (kSize > 0)
    unrolled<kSize * kSize>([&](auto piece) { append(piece.value); });
  else
    for (uint32_t piece = 0; piece < items.of_row(); ++piece) append(piece);
  if (filled > 0) *mask = word;
}

template <int kSize, class Key>
GPU_KERNEL void __launch_bounds__(CellBlock<kSize>::kThreads)
    look_up_cells_kernel(LookUpCells<Key> job) {
  gpu::wait_for_earlier_kernels();
  constexpr int32_t kThreads = CellBlock<kSize>::kThreads;
  const auto thread = static_cast<int32_t>(threadIdx.x);
  const PieceItems items(job);
  const uint32_t row_pieces = kSize > 0 ? kSize * kSize : items.of_row();
  const int32_t volume = job.template volume<kSize>(), words = (volume + 31) / 32;
  const int32_t block_rows = job.template block_rows<kSize>();
  const int64_t first = int64_t{blockIdx.x} * block_rows, left = job.n - first;
  const int32_t rows = left < block_rows ? static_cast<int32_t>(left) : block_rows;
  auto* staged = gpu::dynamic_shared<int32_t>();
  auto* found = reinterpret_cast<FoundCell*>(staged + kThreads * CellBlock<kSize>::kLongest);
  auto* ranges = reinterpret_cast<RowRanges*>(found + block_rows * job.template row_cells<kSize>());
  auto* first_keys = reinterpret_cast<Key*>(ranges + block_rows);
  auto* masks = reinterpret_cast<uint32_t*>(first_keys + block_rows);
  auto* bits = reinterpret_cast<uint8_t*>(masks + block_rows * words);

  for (int32_t row = thread; row < rows; row += kThreads)
    job.start_row(job.out[first + row], ranges[row], first_keys[row]);
  gpu::sync_threads();
  find_cells<kSize>(job, static_cast<uint32_t>(rows), ranges, first_keys, found);
  gpu::sync_threads();
  if constexpr (kSize > 0)
    look_up_planes<kSize>(job.table, static_cast<uint32_t>(rows), ranges, found, staged, bits,
                          job.map + first * volume);
  else
    look_up_pieces(job, items, static_cast<uint32_t>(rows), ranges, found, staged, bits,
                   job.map + first * volume);
  gpu::sync_threads();
  if (thread < rows) write_mask<kSize>(items, bits + thread * row_pieces, masks + thread * words);
  gpu::sync_threads();
  for (int32_t i = thread; i < rows * words; i += kThreads) job.masks[first * words + i] = masks[i];
  const uint32_t mask = thread < rows ? masks[thread * words] : 0;
  if (job.sort_keys && thread < rows) job.rule.write(first + thread, mask, job.sort_keys);
  if (!job.columns.words) return;
  auto* columns = reinterpret_cast<uint32_t*>(staged);  // which the entries have left
  if (thread < kColumnBlock) stage_columns(mask, volume, columns);
  gpu::sync_threads();
  write_columns(columns, first, volume, job.columns);
}

/// Of shared memory, for one row and for a block.
template <int kSize, class Key>
size_t shared_row_bytes(const LookUpCells<Key>& job) {
  return sizeof(FoundCell) * job.template row_cells<kSize>() + sizeof(RowRanges) + sizeof(Key) +
         sizeof(uint32_t) * static_cast<size_t>((job.geometry.kernel_volume + 31) / 32) +
         PieceItems(job).of_row();
}
template <int kSize, class Key>
size_t shared_bytes(const LookUpCells<Key>& job) {
  return CellBlock<kSize>::kThreads * CellBlock<kSize>::kLongest * sizeof(int32_t) +
         static_cast<size_t>(job.template block_rows<kSize>()) * shared_row_bytes<kSize>(job);
}

}  // namespace spb::maps
