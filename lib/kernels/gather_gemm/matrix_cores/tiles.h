// SPDX-License-Identifier: Apache-2.0
// The variants of the kernel of fprop and dgrad on AMD's matrix cores.
#pragma once

#include <array>
#include <cstddef>

#include "gpu/mma/lane_tables.h"
#include "kernels/kernel_variants.h"

namespace spb::plans {

/// How a variant's tile is cut: warps_m x warps_n wavefronts of warp_m x warp_n sums, by
/// instructions of atom_size x atom_size; a row of the tile is row_bytes deep.
struct MatrixRowTile {
  const char* name;
  unsigned dtypes;
  gpu::MatrixCores cores;
  int atom_size;
  int warps_m, warps_n, warp_m, warp_n, row_bytes;
};

// Sizes are from what fits: 24 KB of the 64 KB of LDS and 64 sums a lane at most. None was timed.
inline constexpr MatrixRowTile kMatrixRowTiles[] = {
    {"mfma_128x128x32", kHalfDtypes, gpu::MatrixCores::cdna, 32, 2, 2, 64, 64, 64},
    {"mfma_128x32x64", kHalfDtypes, gpu::MatrixCores::cdna, 16, 4, 1, 32, 32, 128},
    {"mfma_64x64x64", kHalfDtypes, gpu::MatrixCores::cdna, 16, 2, 2, 32, 32, 128},
    {"mfma_f32_128x64x16", kF32, gpu::MatrixCores::cdna, 32, 2, 2, 64, 32, 64},
    {"mfma_f32_64x32x32", kF32, gpu::MatrixCores::cdna, 16, 4, 1, 16, 32, 128},
    {"wmma_gfx11_64x64x32", kHalfDtypes, gpu::MatrixCores::gfx11, 16, 2, 2, 32, 32, 64},
    {"wmma_gfx12_64x64x32", kHalfDtypes, gpu::MatrixCores::gfx12, 16, 2, 2, 32, 32, 64},
};
inline constexpr size_t kMatrixRowTileCount = std::size(kMatrixRowTiles);

constexpr const char* chips_of(gpu::MatrixCores cores) {
  switch (cores) {
    case gpu::MatrixCores::cdna:
      return "gfx90a, gfx942";
    case gpu::MatrixCores::gfx11:
      return "gfx11";
    case gpu::MatrixCores::gfx12:
      return "gfx12";
  }
  return "";
}

constexpr KernelVariant variant_of(const MatrixRowTile& tile) {
  KernelVariant variant{tile.name,
                        tile.warps_m * tile.warp_m,
                        tile.warps_n * tile.warp_n,
                        tile.row_bytes / operand_bytes(tile.dtypes),
                        1,
                        gpu::lanes_of(tile.cores) * tile.warps_m * tile.warps_n,
                        0,
                        tile.dtypes};
  variant.chips = chips_of(tile.cores);
  return variant;
}

inline constexpr auto kMatrixRowVariants = [] {
  std::array<KernelVariant, kMatrixRowTileCount> variants{};
  for (size_t i = 0; i < variants.size(); ++i) variants[i] = variant_of(kMatrixRowTiles[i]);
  return variants;
}();

}  // namespace spb::plans
