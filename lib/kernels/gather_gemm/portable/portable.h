// SPDX-License-Identifier: Apache-2.0
// The kernels of fprop and dgrad that run everywhere, as a family.
#pragma once

#include "kernels/gather_gemm/kernels.h"
#include "kernels/gather_gemm/portable/tiles.h"

namespace spb::plans {

inline RowFamily portable_row_family() {
  return {.variants = kPortableRowTiles,
          .resident_blocks = [](int, const RowWork&) { return 1; },
          .launch = launch_portable_gather_gemm,
          .mma_depth = [](Dtype) { return 0; },
          .macs_per_us = [](Dtype) { return 0.01; },
          .takes_groups = true,
          .adds_pairs = [](int, const RowWork&) { return Adds::freely; }};
}

}  // namespace spb::plans
