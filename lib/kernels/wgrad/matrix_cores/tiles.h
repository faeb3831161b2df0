// SPDX-License-Identifier: Apache-2.0
// The variants of the kernel of wgrad on AMD's matrix cores.
#pragma once

#include <cstddef>
#include <iterator>

#include "kernels/matrix_cores/tile.h"

namespace spb::plans {

// Rows of the stage are 128 bytes deep: places.h needs eight chunks. Of gfx942's 64 KB of LDS 32 at
// most, 64 sums a lane at most. None was timed.
inline constexpr MatrixTile kMatrixWgradTiles[] = {
    {"mfma_128x128x64_s1", kHalfDtypes, gpu::MatrixCores::cdna, 32, 2, 2, 64, 64, 128},
    {"mfma_64x64x64_s1", kHalfDtypes, gpu::MatrixCores::cdna, 16, 2, 1, 32, 64, 128},
    {"mfma_32x32x64_s1", kHalfDtypes, gpu::MatrixCores::cdna, 16, 1, 1, 32, 32, 128},
    {"mfma_f32_64x64x32_s1", kF32, gpu::MatrixCores::cdna, 32, 2, 2, 32, 32, 128},
    {"mfma_f32_32x32x32_s1", kF32, gpu::MatrixCores::cdna, 16, 2, 1, 16, 32, 128},
    {"mfma_tf32_64x64x32_s1", kTf32, gpu::MatrixCores::cdna3, 32, 2, 2, 32, 32, 128},
    {"mfma_tf32_32x32x32_s1", kTf32, gpu::MatrixCores::cdna3, 16, 2, 1, 16, 32, 128},
    {"wmma_gfx11_64x64x64_s1", kHalfDtypes, gpu::MatrixCores::gfx11, 16, 2, 2, 32, 32, 128},
    {"wmma_gfx12_64x64x64_s1", kHalfDtypes, gpu::MatrixCores::gfx12, 16, 2, 2, 32, 32, 128},
};
inline constexpr size_t kMatrixWgradTileCount = std::size(kMatrixWgradTiles);

}  // namespace spb::plans
