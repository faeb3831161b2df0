// SPDX-License-Identifier: Apache-2.0
// The variants of the kernel of fprop and dgrad on matrix cores.
#pragma once

#include <array>
#include <cstddef>
#include <iterator>

#include "kernels/matrix_cores/tile.h"

namespace spb::plans {

// Sizes are from what fits: 24 KB of the 64 KB of LDS and 64 sums a lane at most. None was timed.
// NVIDIA's stand last.
inline constexpr MatrixTile kMatrixRowTiles[] = {
    {"mfma_128x128x32", kHalfDtypes, gpu::MatrixCores::cdna, 32, 2, 2, 64, 64, 64},
    {"mfma_128x32x64", kHalfDtypes, gpu::MatrixCores::cdna, 16, 4, 1, 32, 32, 128},
    {"mfma_64x64x64", kHalfDtypes, gpu::MatrixCores::cdna, 16, 2, 2, 32, 32, 128},
    {"mfma_f32_128x64x16", kF32, gpu::MatrixCores::cdna, 32, 2, 2, 64, 32, 64},
    {"mfma_f32_64x32x32", kF32, gpu::MatrixCores::cdna, 16, 4, 1, 16, 32, 128},
    {"mfma_tf32_128x64x32", kTf32, gpu::MatrixCores::cdna3, 32, 2, 2, 64, 32, 128},
    {"mfma_tf32_64x32x32", kTf32, gpu::MatrixCores::cdna3, 16, 4, 1, 16, 32, 128},
    {"mfma_i8_128x64x128", kIntegerDtypes, gpu::MatrixCores::cdna3, 32, 2, 2, 64, 32, 128},
    {"mfma_i8_64x32x128", kIntegerDtypes, gpu::MatrixCores::cdna3, 16, 4, 1, 16, 32, 128},
    {"mfma_gfx90a_i8_128x64x128", kIntegerDtypes, gpu::MatrixCores::cdna2, 32, 2, 2, 64, 32, 128},
    {"mfma_gfx90a_i8_64x32x128", kIntegerDtypes, gpu::MatrixCores::cdna2, 16, 4, 1, 16, 32, 128},
    {"wmma_gfx11_64x64x32", kHalfDtypes, gpu::MatrixCores::gfx11, 16, 2, 2, 32, 32, 64},
    {"wmma_gfx11_i8_64x64x64", kIntegerDtypes, gpu::MatrixCores::gfx11, 16, 2, 2, 32, 32, 64},
    {"wmma_gfx12_64x64x32", kHalfDtypes, gpu::MatrixCores::gfx12, 16, 2, 2, 32, 32, 64},
    {"wmma_gfx12_i8_64x64x64", kIntegerDtypes, gpu::MatrixCores::gfx12, 16, 2, 2, 32, 32, 64},
    {"mma_sm75_i8_128x64x64", kIntegerDtypes, gpu::MatrixCores::sm75, 8, 4, 2, 32, 32, 64},
    {"mma_sm75_i8_64x64x64", kIntegerDtypes, gpu::MatrixCores::sm75, 8, 2, 2, 32, 32, 64},
};
inline constexpr size_t kMatrixRowTileCount = std::size(kMatrixRowTiles);

inline constexpr auto kMatrixRowVariants = [] {
  std::array<KernelVariant, kMatrixRowTileCount> variants{};
  for (size_t i = 0; i < variants.size(); ++i) variants[i] = variant_of(kMatrixRowTiles[i]);
  return variants;
}();

}  // namespace spb::plans
