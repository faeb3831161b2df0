// SPDX-License-Identifier: Apache-2.0
#include "device_reference/for_each.cuh"

namespace spb::device_reference {
namespace {

template <bool kScales>
__device__ Sums row_sums(const RowOperands& o, int64_t element) {
  const int64_t columns = int64_t{o.groups} * o.group_columns;
  const int64_t row = element / columns, column = element % columns;
  const int64_t group = column / o.group_columns;
  Sums sums;
  if (o.bias) sums.add<kScales>(o.bias[column]);
  for (int offset = 0; offset < o.kernel_volume; ++offset) {
    const int64_t other = o.table[row * o.kernel_volume + offset];
    if (other < 0) continue;
    const float* a = o.source + (other * o.groups + group) * o.depth;
    const float* b =
        o.weights + offset * o.offset_pitch + group * o.group_pitch + column % o.group_columns;
    Tile tile;
    for (int k = 0; k < o.depth; ++k) tile.add<kScales>(a[k], b[k * o.k_pitch]);
    sums.add<kScales>(tile, o.depth);
  }
  if (o.residual) sums.add<kScales>(o.residual[element]);
  return sums;
}

template <bool kScales>
GPU_KERNEL void row_sums_kernel(RowOperands operands, Work work) {
  for_each(work, [&](int64_t element) { return row_sums<kScales>(operands, element); });
}

}  // namespace

void sum_rows(const RowOperands& operands, bool scales, const Work& work,
              const gpu::Stream& stream) {
  gpu::launch_flat(scales ? row_sums_kernel<true> : row_sums_kernel<false>, threads_of(work.count),
                   stream, operands, work);
}

}  // namespace spb::device_reference
