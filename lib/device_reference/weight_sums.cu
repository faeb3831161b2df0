// SPDX-License-Identifier: Apache-2.0
#include "device_reference/for_each.cuh"

namespace spb::device_reference {
namespace {

/// Products of the tiles that a sum over `count` pairs is cut into.
__device__ inline int64_t tile_pairs(int64_t count) { return count / 256 > 64 ? count / 256 : 64; }

template <bool kScales>
__device__ Sums weight_sums(const WeightOperands& o, int64_t element) {
  const int group_in = o.c_in / o.groups, group_out = o.c_out / o.groups;
  const int64_t row = element / group_in, j = row / o.kernel_volume;
  const int64_t offset = row % o.kernel_volume;
  const int64_t i = j / group_out * group_in + element % group_in;
  const int64_t begin = o.begins[offset], end = o.begins[offset + 1];
  const int64_t length = tile_pairs(end - begin);
  Sums sums;
  for (int64_t first = begin; first < end; first += length) {
    const int64_t last = first + length < end ? first + length : end;
    Tile tile;
    for (int64_t pair = first; pair < last; ++pair)
      tile.add<kScales>(o.gout[int64_t{o.triples[pair].out} * o.c_out + j],
                        o.in[int64_t{o.triples[pair].in} * o.c_in + i]);
    sums.add<kScales>(tile, static_cast<double>(last - first));
  }
  return sums;
}

template <bool kScales>
GPU_KERNEL void weight_sums_kernel(WeightOperands operands, Work work) {
  for_each(work, [&](int64_t element) { return weight_sums<kScales>(operands, element); });
}

}  // namespace

void sum_weights(const WeightOperands& operands, bool scales, const Work& work,
                 const gpu::Stream& stream) {
  gpu::launch_flat(scales ? weight_sums_kernel<true> : weight_sums_kernel<false>,
                   threads_of(work.count), stream, operands, work);
}

}  // namespace spb::device_reference
