// The kernels of fprop and dgrad that run everywhere, as a family.
#pragma once

#include "algorithms/implicit/row_kernels.h"
#include "algorithms/implicit/row_tiles.h"

namespace spb::plans {

inline RowFamily portable_row_family() {
  return {kRowTiles, [](int, const RowWork&) { return 1; }, launch_row_pass,
          [](Dtype) { return 0; }, [](Dtype) { return 0.01; }};
}

}  // namespace spb::plans
