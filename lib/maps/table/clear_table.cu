// SPDX-License-Identifier: Apache-2.0
#include "gpu/buffer.h"
#include "gpu/launch.cuh"
#include "maps/table/insert_rows.cuh"

namespace spb::maps {
namespace {

struct ZeroRange {
  uint32_t* words;
  int64_t size;

  explicit ZeroRange(gpu::Buffer<uint32_t>& buffer) : words(buffer.data()), size(buffer.size()) {}
};

/// Item = two words of the table.
GPU_KERNEL void clear_kernel(TwoWords* table, int64_t items, TwoWords empty, InsertStatus* status,
                             ZeroRange first, ZeroRange second) {
  const int64_t item = gpu::global_index(), threads = int64_t{gridDim.x} * blockDim.x;
  if (item == 0) *status = InsertStatus();
  if (item < items) table[item] = empty;
  for (int64_t i = item; i < first.size; i += threads) first.words[i] = 0;
  for (int64_t i = item; i < second.size; i += threads) second.words[i] = 0;
}

}  // namespace

void clear_table(TwoWords* table, int64_t items, TwoWords empty, InsertStatus* status,
                 gpu::Buffer<uint32_t>& zeros, gpu::Buffer<uint32_t>& other_zeros,
                 const gpu::Stream& stream) {
  gpu::launch_flat(clear_kernel, items, stream, table, items, empty, status, ZeroRange(zeros),
                   ZeroRange(other_zeros));
}

}  // namespace spb::maps
