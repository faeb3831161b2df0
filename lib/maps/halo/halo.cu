// SPDX-License-Identifier: Apache-2.0
#include "maps/halo/halo.h"

#include <algorithm>
#include <string>

#include "core/error.h"
#include "gpu/launch.cuh"
#include "gpu/qualifiers.h"
#include "maps/halo/halo_parts.h"
#include "maps/halo/halo_tile.cuh"
#include "maps/pairs/chunk.h"

namespace spb::maps {
namespace {

struct HaloOutput {
  HaloTile* tiles;
  uint32_t* slots;    // [tiles, kHaloSlots]
  uint16_t* local;    // [tiles, kHaloGroups * kernel_volume, kHaloGroupRows]
  HaloCounts counts;  // of the first pass, else null
  // Second pass: the counts scanned, a part of a longer scan, so that begin[0] is taken off; else
  // null.
  const int64_t* begin;
  uint32_t* more;
};

/// A block builds a tile; in the second pass, of the tiles in rounds alone, whose `more` it fills.
GPU_KERNEL void __launch_bounds__(kHaloRows)
    build_halos_kernel(HaloWork parameter, int32_t* order, int64_t tiles, HaloOutput out) {
  gpu::wait_for_earlier_kernels();
  const HaloWork& work = gpu::first_argument(parameter);
  __shared__ HaloShared shared;
  const int64_t tile = blockIdx.x;
  if (out.begin && out.begin[tile + 1] == out.begin[tile]) return;
  const auto thread = static_cast<int32_t>(threadIdx.x);
  HaloTileBuilder builder(work, order, tile, shared);
  const int32_t group = builder.group();
  HaloTile header;
  header.slots_begin = tile * kHaloSlots;
  header.local_begin = tile * kHaloGroups * work.kernel_volume;
  header.more_begin = out.begin ? out.begin[tile] - out.begin[0] : 0;
  GPU_UNROLL_AMD
  for (int32_t g = 0; g < kHaloGroups; ++g) header.masks[g] = builder.mask(g);
  if (builder.row() >= 0)
    order[tile * kHaloRows + group * kHaloGroupRows + builder.position()] = builder.row();

  int64_t entry = header.local_begin;
  for (int32_t g = 0; g < group; ++g) entry += gpu::popcount(builder.mask(g));
  uint16_t* local = out.local + entry * kHaloGroupRows + builder.position();
  const uint32_t mask = builder.mask(group);
  const auto write_local = [&](int32_t begin, int32_t end) {
    constexpr int kTogether = 3;
    for (int32_t o = begin; o < end; o += kTogether) {
      uint16_t values[kTogether];
      unrolled<kTogether>([&](auto j) {
        values[j.value] = o + j.value < end ? builder.local(o + j.value) : uint16_t{0};
      });
      unrolled<kTogether>([&](auto j) {
        if (o + j.value >= end || !(mask >> (o + j.value) & 1)) return;
        *local = values[j.value];
        local += kHaloGroupRows;
      });
    }
  };
  int64_t more = 0;
  if (builder.takes_one_round()) {
    header.slot_count = builder.slot_count();
    header.offset_end = work.kernel_volume;
    builder.write_slots(out.slots + header.slots_begin);
    write_local(0, work.kernel_volume);
  } else {
    int32_t first_end = 0, next = 0;
    for (int32_t begin = 0; begin < work.kernel_volume; begin = next) {
      const int32_t end = builder.take_round(begin), count = builder.slot_count();
      if (begin == 0) {
        header.slot_count = count;
        first_end = end;
        builder.write_slots(out.slots + header.slots_begin);
      } else {
        if (out.more) {
          uint32_t* round = out.more + header.more_begin + more;
          if (thread == 0) {
            round[0] = static_cast<uint32_t>(count);
            round[1] = static_cast<uint32_t>(end);
            round[2] = round[3] = 0;
          }
          builder.write_slots(round + kHaloRoundHeader);
        }
        more += kHaloRoundHeader + count;
      }
      write_local(begin, end);
      next = end;
    }
    header.offset_end = first_end;
  }
  // For kernels that copy all of them.
  for (int32_t i = header.slot_count + thread; i < kHaloSlots; i += kHaloRows)
    out.slots[header.slots_begin + i] = HaloLists::kNoRow;
  if (thread != 0) return;
  out.tiles[tile] = header;
  if (!out.counts.more) return;
  int64_t listed = 0;
  GPU_UNROLL_AMD
  for (int32_t g = 0; g < kHaloGroups; ++g) listed += gpu::popcount(header.masks[g]);
  out.counts.listed[tile] = listed;
  out.counts.more[tile] = more;
  if (tile == 0) out.counts.listed[tiles] = out.counts.more[tiles] = 0;
}

void launch_tiles(const HaloSource& source, const WindowSort& sort, TileLists& lists,
                  const HaloOutput& output, BuildContext context) {
  const HaloWork work{source.map.rows.data(),   source.rows, source.geometry, source.map.n_rows,
                      source.map.kernel_volume, sort};
  const size_t shared =
      size_t{kHaloRows} * static_cast<size_t>(work.kernel_volume) * sizeof(int32_t);
  const int64_t tiles = lists.halos.tiles.size();
  gpu::launch_few_early(build_halos_kernel, dim3(gpu::grid_of(tiles)), dim3(kHaloRows), shared,
                        context.stream, work, lists.order.data(), tiles, output);
}

}  // namespace

HaloGeometry halo_geometry(const ConvGeometry& geometry, const std::array<int64_t, 3>& origin,
                           bool reverse) {
  HaloGeometry result{};
  const Int3 size = geometry.kernel_size;
  int32_t steps[3][kMostHaloOffsets] = {};
  for (size_t axis = 0; axis < 3; ++axis) {
    const int32_t stride = geometry.stride[axis];
    result.multiplier[axis] = reverse ? 1 : stride;
    result.divisor[axis] = reverse ? stride : 1;
    for (int place = 0; place < std::min(size[axis], kMostHaloOffsets); ++place) {
      const int64_t step = int64_t{place} * geometry.dilation[axis] - origin[axis];
      // p = u * stride + step; from p back to u by whole strides, rounded as p itself is.
      const int64_t back = -((step >= 0 ? step : step - stride + 1) / stride);
      steps[axis][place] = static_cast<int32_t>((reverse ? back : step) & (kHaloColors - 1));
    }
  }
  Int3 place{};
  for (int o = 0; o < std::min(geometry.kernel_volume(), kMostHaloOffsets); ++o) {
    for (size_t axis = 0; axis < 3; ++axis) result.steps[o][axis] = steps[axis][place[axis]];
    if (++place[2] < size[2]) continue;
    place[2] = 0;
    if (++place[1] < size[1]) continue;
    place[1] = 0;
    ++place[0];
  }
  return result;
}

void check_halo_needs(const ListNeeds& needs, int kernel_volume, int64_t rows) {
  if (needs.tile_rows != kHaloGroupRows || needs.segments != 1 || needs.order == RowOrder::none)
    throw usage_error("halos", "no lists, or of other tiles",
                      "use " + std::to_string(kHaloGroupRows) + " rows, one segment and an order");
  if (needs.tile_index || needs.longest_first)
    throw usage_error("halos", "a tile index or longest_first beside them",
                      "ask for neither: halos list nothing");
  if (kernel_volume > kMostHaloOffsets)
    throw usage_error("halos", std::to_string(kernel_volume) + " kernel offsets",
                      "use up to " + std::to_string(kMostHaloOffsets));
  if (rows > HaloLists::kMostRows)
    throw usage_error("halos", std::to_string(rows) + " rows",
                      "use up to " + std::to_string(HaloLists::kMostRows));
}

void start_halos(const HaloSource& source, const WindowSort& sort, const HaloCounts& counts,
                 TileLists& lists, BuildContext context) {
  auto& [allocator, stream] = context;
  const int64_t tiles = tiles_of(lists.n_rows, kHaloRows);
  HaloLists& halos = lists.halos;
  halos.tiles = gpu::Buffer<HaloTile>(allocator, tiles, gpu::Tag::plan);
  halos.slots = gpu::Buffer<uint32_t>(allocator, tiles * kHaloSlots, gpu::Tag::plan);
  halos.local = gpu::Buffer<uint16_t>(allocator, tiles * kHaloRows * source.map.kernel_volume,
                                      gpu::Tag::plan);
  if (tiles == 0)
    for (int64_t* last : {counts.listed, counts.more})
      gpu::fill_bytes(last, 0, sizeof(int64_t), stream);
  launch_tiles(
      source, sort, lists,
      {halos.tiles.data(), halos.slots.data(), halos.local.data(), counts, nullptr, nullptr},
      context);
}

void finish_halos(const HaloSource& source, const int64_t* begin, int64_t more, TileLists& lists,
                  BuildContext context) {
  if (more == 0) return;
  HaloLists& halos = lists.halos;
  halos.more = gpu::Buffer<uint32_t>(context.allocator, more, gpu::Tag::plan);
  launch_tiles(
      source, {}, lists,
      {halos.tiles.data(), halos.slots.data(), halos.local.data(), {}, begin, halos.more.data()},
      context);
}

}  // namespace spb::maps
