// SPDX-License-Identifier: Apache-2.0
// A tile that matrix cores multiply, in numbers.
#pragma once

#include "gpu/mma/lane_tables.h"
#include "kernels/kernel_variants.h"

namespace spb::plans {

/// How a variant's tile is cut: warps_m x warps_n wavefronts of warp_m x warp_n sums, by
/// instructions of atom_size x atom_size; a row of the tile is row_bytes deep.
struct MatrixTile {
  const char* name;
  unsigned dtypes;
  gpu::MatrixCores cores;
  int atom_size;
  int warps_m, warps_n, warp_m, warp_n, row_bytes;
};

constexpr const char* chips_of(gpu::MatrixCores cores) {
  switch (cores) {
    case gpu::MatrixCores::cdna:
      return "gfx90a, gfx942";
    case gpu::MatrixCores::cdna2:
      return "gfx90a";
    case gpu::MatrixCores::cdna3:
      return "gfx942";
    case gpu::MatrixCores::gfx11:
      return "gfx11";
    case gpu::MatrixCores::gfx12:
      return "gfx12";
    case gpu::MatrixCores::sm75:
      return "sm_75";
  }
  return "";
}

inline constexpr const char* kNeedsMatrixCores =
    "needs the matrix cores of another GPU (on host: warps as wide as its, and its "
    "SPB_HOST_CHIP)";

/// fp32 is one fma after the other, and sums of integers are exact; of xf32 an instruction adds up
/// to 8 products, of 16 bits 16.
constexpr int products_of_instruction(Dtype dtype) {
  if (dtype == Dtype::f16 || dtype == Dtype::bf16) return 16;
  return dtype == Dtype::tf32 ? 8 : 0;
}

constexpr KernelVariant variant_of(const MatrixTile& tile) {
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

}  // namespace spb::plans
