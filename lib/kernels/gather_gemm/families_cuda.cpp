// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <string>

#include "kernels/gather_gemm/halo/halo.h"
#include "kernels/gather_gemm/kernels.h"
#include "kernels/gather_gemm/matrix_cores/matrix_cores.h"
#include "kernels/gather_gemm/portable/portable.h"
#include "kernels/gather_gemm/sm80/sm80.h"
#include "kernels/gather_gemm/sm80/tiles.h"
#include "kernels/gather_gemm/wgmma/wgmma.h"
#include "kernels/multiply_rates.h"

namespace spb::plans {
namespace {

double sm80_macs_per_us(Dtype dtype) { return multiply_rates(dtype).sm80; }
double wgmma_macs_per_us(Dtype dtype) { return multiply_rates(dtype).wgmma; }

/// Of the multiplies of all families.
int mma_depth(Dtype dtype) { return info(dtype).mma_depth; }

const char* sm80_groups_reason() {
  static const std::string kReason = [] {
    std::string tiles;
    for (const Sm80RowTile& tile : kSm80RowTiles)
      if (tile.groups) tiles += std::string(tiles.empty() ? "" : ", ") + tile.name;
    return "takes no such groups: " + tiles +
           " do, with channels per group in eights (of 32 bits: in fours)";
  }();
  return kReason.c_str();
}

int sm80_resident_blocks(int index, const RowWork& work) {
  // The kernel steps through a channel's weights with 32-bit pitches.
  constexpr double kMostBytes = 0x7FFFFFFF;
  if (work.offsets * std::max(work.depth, work.columns) * sizeof(float) > kMostBytes) return 0;
  const bool grouped = work.groups > 1;
  const int per_chunk = 16 / operand_bytes(dtype_bit(work.dtype));
  if (grouped && (work.depth % per_chunk != 0 || work.columns % per_chunk != 0)) return 0;
  return sm80_row_blocks(index, work.dtype, work.transposed, {.grouped = grouped});
}

Adds sm80_adds(int index, const RowWork& work) {
  return sm80_row_blocks(index, work.dtype, work.transposed, {.adds = true}) > 0 ? Adds::once
                                                                                 : Adds::never;
}
Adds wgmma_adds(int index, const RowWork&) {
  return kWgmmaRowVariants[index].tile_n >= kLeastColumnsOfSemaphores ? Adds::freely : Adds::never;
}

/// Of bytes, for want of copies and multiplies that sm_80 has.
RowFamily turing_row_family() {
  RowFamily family = matrix_row_family();
  family.macs_per_us = [](Dtype) { return kTuringI8Rate; };
  family.by_name_from = 80;
  return family;
}

}  // namespace

std::span<const RowFamily> row_families() {
  static const RowFamily families[] = {{.variants = kSm80RowVariants,
                                        .resident_blocks = sm80_resident_blocks,
                                        .launch = launch_sm80_rows,
                                        .mma_depth = mma_depth,
                                        .macs_per_us = sm80_macs_per_us,
                                        .reads_tile_index = true,
                                        .takes_segments = true,
                                        .takes_groups = true,
                                        .groups_reason = sm80_groups_reason(),
                                        .adds_pairs = sm80_adds},
                                       {.variants = kWgmmaRowVariants,
                                        .resident_blocks = wgmma_row_blocks,
                                        .launch = launch_wgmma_rows,
                                        .mma_depth = mma_depth,
                                        .macs_per_us = wgmma_macs_per_us,
                                        .reads_tile_index = true,
                                        .takes_segments = true,
                                        .takes_work_tiles = true,
                                        .semaphores_from_columns = kLeastColumnsOfSemaphores,
                                        .adds_pairs = wgmma_adds,
                                        .prepared_floats = tf32_parts},
                                       {.variants = kHaloRowVariants,
                                        .resident_blocks = halo_row_blocks,
                                        .launch = launch_halo_rows,
                                        .mma_depth = mma_depth,
                                        .takes_halos = true,
                                        .halo_us = halo_us,
                                        .unsupported_reason = kHaloUnsupportedReason},
                                       turing_row_family(),
                                       portable_row_family()};
  return families;
}

}  // namespace spb::plans
