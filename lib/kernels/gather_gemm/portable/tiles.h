// SPDX-License-Identifier: Apache-2.0
// The variants of the portable kernel of fprop and dgrad, and which of them a problem gets.
#pragma once

#include "kernels/kernel_variants.h"

namespace spb::plans {

inline constexpr KernelVariant kPortableRowTiles[] = {
    {"fma_64x32x32", 64, 32, 32, 2, 64, 0, kPortableRowDtypes},
    {"fma_64x64x32", 64, 64, 32, 2, 64, 0, kPortableRowDtypes}};

/// Index into kPortableRowTiles for `columns` written channels: the narrow tile where the wide one
/// would compute mostly padding.
constexpr int choose_portable_row_tile(int columns) {
  return columns % 64 != 0 && columns % 64 <= 32 ? 0 : 1;
}

}  // namespace spb::plans
