// The variants of the fprop and dgrad kernel, and which one a problem gets.
#pragma once

#include "algorithms/kernel_variants.h"

namespace spb::plans {

inline constexpr KernelVariant kRowTiles[] = {{"fma_64x32x32", 64, 32, 32, 2, 64, 0, kAllDtypes},
                                              {"fma_64x64x32", 64, 64, 32, 2, 64, 0, kAllDtypes}};

/// Index into kRowTiles for `columns` written channels: the narrow tile where the wide one would
/// compute mostly padding.
constexpr int choose_row_tile(int columns) {
  return columns % 64 != 0 && columns % 64 <= 32 ? 0 : 1;
}

}  // namespace spb::plans
