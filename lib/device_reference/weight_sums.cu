// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device_reference/share.cuh"

namespace spb::device_reference {
namespace {

/// Pairs of the tiles that a sum over `count` of them is cut into.
GPU_HOST_DEVICE inline int64_t tile_pairs(int64_t count) {
  return count / 256 > 64 ? count / 256 : 64;
}
GPU_HOST_DEVICE inline int64_t tiles_of(int64_t count) {
  return (count + tile_pairs(count) - 1) / tile_pairs(count);
}

/// A part of the work's elements, whose tiles have a place in memory: tile t of the i-th of them at
/// [t * count + i].
struct Part {
  int64_t first, count;
  Tile* tiles;
};

struct Place {
  int64_t element, offset, i, j;
};

__device__ inline Place place_of(const WeightOperands& o, const Work& work, int64_t at) {
  const int group_in = o.c_in / o.groups, group_out = o.c_out / o.groups;
  const int64_t element = work.listed ? work.listed[at] : at, row = element / group_in;
  const int64_t j = row / o.kernel_volume;
  return {element, row % o.kernel_volume, j / group_out * group_in + element % group_in, j};
}

template <class Wanted>
GPU_KERNEL void tiles_kernel(WeightOperands o, Work work, Part part, int64_t most_tiles) {
  const int64_t index = gpu::global_index();
  if (index >= part.count * most_tiles) return;
  const int64_t t = index / part.count;
  const Place place = place_of(o, work, part.first + index % part.count);
  const int64_t begin = o.begins[place.offset], end = o.begins[place.offset + 1];
  const int64_t length = tile_pairs(end - begin), first = begin + t * length;
  if (first >= end) return;
  const int64_t last = first + length < end ? first + length : end;
  Tile tile;
  for (int64_t pair = first; pair < last; ++pair)
    tile.add<Wanted>(o.gout[int64_t{o.triples[pair].out} * o.c_out + place.j],
                     o.in[int64_t{o.triples[pair].in} * o.c_in + place.i]);
  part.tiles[index] = tile;
}

template <class Wanted>
GPU_KERNEL void weight_sums_kernel(WeightOperands o, Work work, Part part) {
  const int64_t threads = threads_of(part.count), thread = gpu::global_index();
  if (thread >= threads) return;
  Share share(work);
  for (int64_t i = thread; i < part.count; i += threads) {
    const Place place = place_of(o, work, part.first + i);
    const int64_t pairs = o.begins[place.offset + 1] - o.begins[place.offset];
    const int64_t length = tile_pairs(pairs);
    Sums sums;
    for (int64_t t = 0; t < tiles_of(pairs); ++t) {
      const int64_t left = pairs - t * length;
      sums.add<Wanted>(part.tiles[t * part.count + i],
                       static_cast<double>(left < length ? left : length));
    }
    share.take(part.first + i, place.element, sums);
  }
  share.finish();
}

}  // namespace

int64_t most_tiles(std::span<const int64_t> begins) {
  int64_t most = 1;
  for (size_t o = 1; o < begins.size(); ++o)
    most = std::max(most, tiles_of(begins[o] - begins[o - 1]));
  return most;
}

void sum_weights(const WeightOperands& operands, bool scales, const Work& work,
                 const gpu::Stream& stream) {
  const int64_t at_once = std::max<int64_t>(1, operands.tile_count / operands.most_tiles);
  for (int64_t first = 0; first < work.count; first += at_once) {
    const Part part{first, std::min(at_once, work.count - first), operands.tiles};
    with_wanted(work, scales, [&]<class Wanted>(Wanted) {
      gpu::launch_flat(tiles_kernel<Wanted>, part.count * operands.most_tiles, stream, operands,
                       work, part, operands.most_tiles);
      gpu::launch_flat(weight_sums_kernel<Wanted>, threads_of(part.count), stream, operands, work,
                       part);
    });
  }
}

}  // namespace spb::device_reference
