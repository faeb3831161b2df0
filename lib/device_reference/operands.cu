// SPDX-License-Identifier: Apache-2.0
#include "device_reference/work.h"
#include "gpu/launch.cuh"

namespace spb::device_reference {
namespace {

GPU_KERNEL void fill_table_kernel(const Triple* triples, int64_t count, bool by_output,
                                  int kernel_volume, int32_t* table) {
  const int64_t i = gpu::global_index();
  if (i >= count) return;
  const Triple pair = triples[i];
  const int64_t row = by_output ? pair.out : pair.in;
  table[row * kernel_volume + pair.offset] = by_output ? pair.in : pair.out;
}

GPU_KERNEL void turn_kernel(const float* from, int64_t rows, int64_t columns, float* to) {
  const int64_t i = gpu::global_index();
  if (i < rows * columns) to[i] = from[i % rows * columns + i / rows];
}

}  // namespace

void fill_table(const Triple* triples, int64_t count, bool by_output, int kernel_volume,
                int32_t* table, const gpu::Stream& stream) {
  gpu::launch_flat(fill_table_kernel, count, stream, triples, count, by_output, kernel_volume,
                   table);
}

void turn(const float* from, int64_t rows, int64_t columns, float* to, const gpu::Stream& stream) {
  gpu::launch_flat(turn_kernel, rows * columns, stream, from, rows, columns, to);
}

}  // namespace spb::device_reference
