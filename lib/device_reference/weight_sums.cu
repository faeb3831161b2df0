// SPDX-License-Identifier: Apache-2.0
#include <algorithm>

#include "device_reference/share.cuh"
#include "device_reference/weight_tiles.cuh"

namespace spb::device_reference {
namespace {

/// Output channels of a thread, neighbors in a group: what it reads of `in` serves all of them. Of
/// listed elements, one.
constexpr int kChannels = 8;
/// Pairs whose operands are all read before the first is multiplied: 48 ms where one at a time
/// takes 59 (a part of 1024,64, H200). The sums of rows gained nothing from it.
constexpr int kPairsAtOnce = 4;

/// What threads sum: items are (channels, offset, i) from the slowest on. Those from `first` on
/// have a place for tile t of channel c of the n-th of them at [(t * count + n) * channels + c].
struct Part {
  int64_t first, count;
  Tile* tiles;
};

struct Place {
  int64_t j, offset, i, column;  ///< first output channel; i = column in its group's channels
  int channels;                  ///< from j on
};

__device__ inline int64_t blocks_of(const WeightOperands& o, int channels) {
  return (o.c_out / o.groups + channels - 1) / channels;  // of a group
}

template <int kCount>
__device__ Place place_of(const WeightOperands& o, const Work& work, int64_t item) {
  const int group_in = o.c_in / o.groups, group_out = o.c_out / o.groups;
  const int64_t at = work.listed ? work.listed[item] : item, row = at / group_in;
  const int64_t block = row / o.kernel_volume, blocks = blocks_of(o, kCount);
  const int64_t group = block / blocks, first = block % blocks * kCount;
  const int left = group_out - static_cast<int>(first);
  return {group * group_out + first, row % o.kernel_volume, group * group_in + at % group_in,
          at % group_in, left < kCount ? left : kCount};
}

template <class Wanted, int kCount, int kPairs>
__device__ void add_pairs(const WeightOperands& o, const Place& place, int64_t first,
                          Tile (&tiles)[kCount]) {
  float gout[kPairs][kCount], in[kPairs];
  GPU_UNROLL
  for (int p = 0; p < kPairs; ++p) {
    const float* row = o.gout + int64_t{o.triples[first + p].out} * o.c_out + place.j;
    in[p] = o.in[int64_t{o.triples[first + p].in} * o.c_in + place.i];
    GPU_UNROLL
    for (int c = 0; c < kCount; ++c) gout[p][c] = c < place.channels ? row[c] : 0;
  }
  GPU_UNROLL
  for (int p = 0; p < kPairs; ++p) {
    GPU_UNROLL
    for (int c = 0; c < kCount; ++c) tiles[c].template add<Wanted>(gout[p][c], in[p]);
  }
}

template <class Wanted, int kCount>
GPU_KERNEL void tiles_kernel(WeightOperands o, Work work, Part part) {
  const int64_t index = gpu::global_index();
  if (index >= part.count * o.most_tiles) return;
  const int64_t t = index / part.count;
  const Place place = place_of<kCount>(o, work, part.first + index % part.count);
  const int64_t begin = o.begins[place.offset], end = o.begins[place.offset + 1];
  const int64_t length = tile_pairs(end - begin), first = begin + t * length;
  if (first >= end) return;
  const int64_t last = first + length < end ? first + length : end;
  Tile tiles[kCount];
  int64_t pair = first;
  for (; pair + kPairsAtOnce <= last; pair += kPairsAtOnce)
    add_pairs<Wanted, kCount, kPairsAtOnce>(o, place, pair, tiles);
  for (; pair < last; ++pair) add_pairs<Wanted, kCount, 1>(o, place, pair, tiles);
  GPU_UNROLL
  for (int c = 0; c < kCount; ++c) part.tiles[index * kCount + c] = tiles[c];
}

/// No more than the work has tallies.
template <int kCount>
GPU_HOST_DEVICE int64_t threads_of_part(const Work& work, const Part& part) {
  const int64_t channels = part.count * kCount;
  return threads_of(channels < work.count ? channels : work.count);
}

template <class Wanted, int kCount>
GPU_KERNEL void weight_sums_kernel(WeightOperands o, Work work, Part part) {
  const int64_t threads = threads_of_part<kCount>(work, part), thread = gpu::global_index();
  if (thread >= threads) return;
  Share share(work);
  for (int64_t at = thread; at < part.count * kCount; at += threads) {
    const int64_t item = part.first + at / kCount, channel = at % kCount;
    const Place place = place_of<kCount>(o, work, item);
    if (channel >= place.channels) continue;
    const Sums sums = sum_tiles<Wanted>(o.begins[place.offset + 1] - o.begins[place.offset],
                                        part.tiles + at, part.count * kCount);
    const int64_t row = (place.j + channel) * o.kernel_volume + place.offset;
    share.take(item, row * (o.c_in / o.groups) + place.column, sums.finished());
  }
  share.finish();
}

template <class Wanted, int kCount>
void sum_parts(const WeightOperands& o, const Work& work, const gpu::Stream& stream) {
  const int64_t group_blocks = (o.c_out / o.groups + kCount - 1) / kCount;
  const int64_t items =
      work.listed ? work.count : o.groups * group_blocks * o.kernel_volume * (o.c_in / o.groups);
  const int64_t at_once = o.tile_count / (o.most_tiles * kCount);
  for (int64_t first = 0; first < items; first += at_once) {
    const Part part{first, std::min(at_once, items - first), o.tiles};
    gpu::launch_flat(tiles_kernel<Wanted, kCount>, part.count * o.most_tiles, stream, o, work,
                     part);
    gpu::launch_flat(weight_sums_kernel<Wanted, kCount>, threads_of_part<kCount>(work, part),
                     stream, o, work, part);
  }
}

}  // namespace

int64_t most_tiles(std::span<const int64_t> begins) {
  int64_t most = 1;
  for (size_t o = 1; o < begins.size(); ++o)
    most = std::max(most, tiles_of(begins[o] - begins[o - 1]));
  return most;
}

int64_t least_tile_count(int64_t most_tiles) { return most_tiles * kChannels; }

void sum_weights(const WeightOperands& operands, Judged judged, const Work& work,
                 const gpu::Stream& stream) {
  if (!work.expected && has_weight_blocks(operands))
    return judge_weight_blocks(operands, judged, work, stream);
  with_wanted(work, judged, [&]<class Wanted>(Wanted) {
    if (work.listed)
      sum_parts<Wanted, 1>(operands, work, stream);
    else
      sum_parts<Wanted, kChannels>(operands, work, stream);
  });
}

}  // namespace spb::device_reference
