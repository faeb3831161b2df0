// SPDX-License-Identifier: Apache-2.0
// How kernels that work on whole rows of a map share them out.
#pragma once

#include <algorithm>
#include <cstdint>
#include <type_traits>
#include <utility>

#include "gpu/launch.cuh"

namespace spb::maps {

/// What one load or store moves at most.
struct alignas(16) FourRows {
  int32_t rows[4];
};

/// Rows of a block of up to `most` threads, one per row, that stages kernel_volume int32 of each in
/// shared memory. 48 KiB is what every device gives without being asked, less what kernels keep
/// there besides.
inline int32_t staged_rows(int kernel_volume, int32_t most) {
  const int64_t fit = (40 << 10) / (int64_t{kernel_volume} * int64_t{sizeof(int32_t)});
  return static_cast<int32_t>(std::clamp<int64_t>(fit, 1, most));
}

inline int64_t tiles_of(int64_t rows, int tile_rows) { return (rows + tile_rows - 1) / tile_rows; }

/// Calls visit(i) for i = 0 .. kCount - 1, each i a constant: arrays then stay in registers.
template <int kCount, class Visit>
__device__ inline void unrolled(Visit visit) {
  [&]<int... i>(std::integer_sequence<int, i...>) {
    (visit(std::integral_constant<int, i>()), ...);
  }
  (std::make_integer_sequence<int, kCount>());
}

/// Calls store(i, load(i)) for i = first, first + step, ... below `end`. Several loads are under
/// way at once: a store between them would make the thread wait for each.
template <class Load, class Store>
__device__ inline void copy_together(int32_t first, int32_t end, int32_t step, Load load,
                                     Store store) {
  constexpr int kLoads = 9;  // divides the rows of a 3 x 3 x 3 map
  for (int32_t i = first; i < end; i += kLoads * step) {
    int32_t values[kLoads];
    unrolled<kLoads>([&](auto j) {
      if (i + j.value * step < end) values[j.value] = load(i + j.value * step);
    });
    unrolled<kLoads>([&](auto j) {
      if (i + j.value * step < end) store(i + j.value * step, values[j.value]);
    });
  }
}

}  // namespace spb::maps
