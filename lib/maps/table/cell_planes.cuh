// SPDX-License-Identifier: Apache-2.0
// Offsets of the usual kernels, looked up in the cells of rows: a thread takes a plane of offsets,
// which lie in four to nine cells. Their bits are one shift away, four rows one load.
#pragma once

#include <type_traits>

#include "maps/pairs/chunk.h"
#include "maps/pairs/unrolled.cuh"
#include "maps/table/found_cells.cuh"

namespace spb::maps {

/// Writes a plane of kSize x kSize entries, and a byte for each of its columns along z: which
/// neighbors are there. `found` are the cells of the row.
template <int kSize, class Key>
__device__ void look_up_plane(const CellTableRef<Key>& table, const FoundCell* found,
                              uint32_t phases, uint32_t component_x, int32_t* values,
                              uint8_t* bits) {
  constexpr uint32_t kCells = cells_of_span(kSize - 1), kFour = 0xF, kSixteen = 0xFFFF;
  using Plane = std::conditional_t<(kCells > 2), uint64_t, uint32_t>;
  const uint32_t x = phases / kCellColumns + component_x;
  const uint32_t y = phases / kCellEdge % kCellEdge, z = phases % kCellEdge;
  const uint32_t place = x % kCellEdge * kCellEdge;
  // Of the cells along z: four bits of each column, and where the rows of cells along y begin.
  uint32_t fours[kCells], columns[kCells][kCells];
  unrolled<kCells>([&](auto in_z) {
    Plane plane = 0;
    unrolled<kCells>([&](auto in_y) {
      const HalfCell half =
          found[(x / kCellEdge * kCells + in_y.value) * kCells + in_z.value].half(place);
      plane |= Plane{half.column(place) & kSixteen} << 16 * in_y.value;
      columns[in_y.value][in_z.value] = half.columns + place + y - kCellEdge * in_y.value;
    });
    const uint32_t window = ((1U << kSize) - 1) << z >> kCellEdge * in_z.value & kFour;
    fours[in_z.value] =
        static_cast<uint32_t>(plane >> kCellEdge * y) & window * (0x11111111U >> (32 - 4 * kSize));
  });
  unrolled<kSize>([&](auto in_y) {
    constexpr uint32_t kFirst = in_y.value / kCellEdge, kBehind = in_y.value % kCellEdge;
    FourRows rows[kCells];
    uint32_t of_column = 0;
    unrolled<kCells>([&](auto in_z) {
      const uint32_t four = fours[in_z.value] >> kCellEdge * in_y.value & kFour;
      of_column |= four << kCellEdge * in_z.value;
      rows[in_z.value] = {};
      uint32_t begin = columns[kFirst][in_z.value];
      if constexpr (kBehind > 0)
        if (y + kBehind >= kCellEdge) begin = columns[kFirst + 1][in_z.value];
      if (four) rows[in_z.value] = table.rows[begin + in_y.value];
    });
    unrolled<kSize + kCellEdge - 1>([&](auto in_z) {
      constexpr uint32_t kZ = in_z.value;
      if (kZ < kCellEdge - 1 && kZ < z) return;
      if (kZ >= kSize && kZ - kSize >= z) return;
      const int32_t row = rows[kZ / kCellEdge].rows[kZ % kCellEdge];
      values[kSize * in_y.value + in_z.value - static_cast<int32_t>(z)] =
          of_column >> kZ & 1 ? row : -1;
    });
    bits[in_y.value] = static_cast<uint8_t>(of_column >> z);
  });
}

/// By all threads of a block: a warp takes as many planes as it has lanes, whose entries are one
/// piece of the map. `staged` has kSize x kSize entries for each thread.
template <int kSize, class Key>
__device__ void look_up_planes(const CellTableRef<Key>& table, uint32_t rows,
                               const RowRanges* ranges, const FoundCell* found, int32_t* staged,
                               uint8_t* bits, int32_t* map) {
  constexpr uint32_t kCells = cells_of_span(kSize - 1), kThreads = CellBlock<kSize>::kThreads;
  constexpr uint32_t kPlane = kSize * kSize, kFours = kPlane / 4, kRest = kPlane % 4;
  constexpr auto kLanes = static_cast<uint32_t>(gpu::warp_size());
  const uint32_t lane = threadIdx.x % kLanes, warp = threadIdx.x - lane, count = rows * kSize;
  int32_t* of_warp = staged + warp * kPlane;
  for (uint32_t base = warp; base < count; base += kThreads) {
    const uint32_t item = base + lane, row = item / kSize;
    if (item < count)
      look_up_plane<kSize>(table, found + row * (kCells * kCells * kCells), ranges[row].phases,
                           item % kSize, of_warp + lane * kPlane, bits + item * kSize);
    gpu::sync_warp();
    int32_t* to = map + base * kPlane;
    if (base + kLanes <= count) {
      const auto copy = [&](uint32_t i) {
        reinterpret_cast<FourRows*>(to)[i] = reinterpret_cast<const FourRows*>(of_warp)[i];
      };
      unrolled<kFours>([&](auto j) { copy(j.value * kLanes + lane); });
      if (lane < kRest * kLanes / 4) copy(kFours * kLanes + lane);
    } else {
      for (uint32_t i = lane; i < (count - base) * kPlane; i += kLanes) to[i] = of_warp[i];
    }
    gpu::sync_warp();
  }
}

}  // namespace spb::maps
