// SPDX-License-Identifier: Apache-2.0
// Loops of device code whose steps are under way together.
#pragma once

#include <cstdint>
#include <type_traits>
#include <utility>

#include "gpu/launch.cuh"

namespace spb::maps {

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
