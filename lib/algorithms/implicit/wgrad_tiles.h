// The variants of the wgrad kernel, and which one a problem gets.
#pragma once

#include "algorithms/kernel_variants.h"

namespace spb::plans {

inline constexpr KernelVariant kWgradTiles[] = {{"fma_32x32x32", 32, 32, 32, 2, 32, 0, kAllDtypes},
                                                {"fma_64x64x32", 64, 64, 32, 2, 64, 0, kAllDtypes}};

/// Index into kWgradTiles.
constexpr int choose_wgrad_tile(int c_out, int c_in) { return c_out > 32 && c_in > 32 ? 1 : 0; }

}  // namespace spb::plans
