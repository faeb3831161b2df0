// SPDX-License-Identifier: Apache-2.0
// fprop and dgrad on Hopper's warpgroup multiplies: sm_90a, masked; 16-bit elements with channels
// in eights, tf32 and 3xtf32 with channels in fours; fprop of bytes with channels in sixteens.
#pragma once

#include <iterator>

#include "gpu/mma/sum_bits.h"
#include "kernels/gather_gemm/kernels.h"
#include "kernels/kernel_variants.h"

namespace spb::plans {

/// Two consumer warpgroups of 64 rows each, one producer warpgroup; where registers allow it a
/// warp of its own for the weights.
using gpu::kE4m3SumBits;
inline constexpr KernelVariant kWgmmaRowVariants[] = {
    {"wgmma_128x256x64", 128, 256, 64, 4, 384, 90, kHalfDtypes, 8, true},
    {"wgmma_128x128x64", 128, 128, 64, 6, 416, 90, kHalfDtypes, 8, true},
    {"wgmma_128x64x64", 128, 64, 64, 4, 416, 90, kHalfDtypes, 8, true},
    {"wgmma_tf32_128x256x32", 128, 256, 32, 4, 384, 90, kTf32, 4, true},
    {"wgmma_tf32_128x128x32", 128, 128, 32, 6, 416, 90, kTf32, 4, true},
    {"wgmma_tf32_128x64x32", 128, 64, 32, 8, 416, 90, kTf32, 4, true},
    {"wgmma_3xtf32_128x256x32", 128, 256, 32, 2, 384, 90, kTf32x3, 4, true},
    {"wgmma_3xtf32_128x128x32", 128, 128, 32, 4, 416, 90, kTf32x3, 4, true},
    {"wgmma_3xtf32_128x64x32", 128, 64, 32, 6, 416, 90, kTf32x3, 4, true},
    {"wgmma_i8_128x256x128", 128, 256, 128, 4, 384, 90, kIntegerDtypes, 16, true},
    {"wgmma_i8_128x128x128", 128, 128, 128, 6, 416, 90, kIntegerDtypes, 16, true},
    {"wgmma_i8_128x64x128", 128, 64, 128, 4, 416, 90, kIntegerDtypes, 16, true},
    {"wgmma_i8_128x64x64", 128, 64, 64, 8, 416, 90, kIntegerDtypes, 16, true},
    {"wgmma_e4m3_128x256x128", 128, 256, 128, 4, 384, 90, kE4m3Dtypes, 16, true, kE4m3SumBits, 128},
    {"wgmma_e4m3_128x128x128", 128, 128, 128, 6, 384, 90, kE4m3Dtypes, 16, true, kE4m3SumBits, 128},
    {"wgmma_e4m3_128x64x128", 128, 64, 128, 8, 416, 90, kE4m3Dtypes, 16, true, kE4m3SumBits, 128},
    {"wgmma_e4m3_128x64x64", 128, 64, 64, 8, 416, 90, kE4m3Dtypes, 16, true, kE4m3SumBits, 64},
    {"wgmma_e4m3_fast_128x256x128", 128, 256, 128, 4, 384, 90, kE4m3Dtypes, 16, true, kE4m3SumBits},
    {"wgmma_e4m3_fast_128x128x128", 128, 128, 128, 6, 416, 90, kE4m3Dtypes, 16, true, kE4m3SumBits},
    {"wgmma_e4m3_fast_128x64x128", 128, 64, 128, 4, 416, 90, kE4m3Dtypes, 16, true, kE4m3SumBits},
    {"wgmma_e4m3_fast_128x64x64", 128, 64, 64, 8, 416, 90, kE4m3Dtypes, 16, true, kE4m3SumBits}};

/// Blocks that a multiprocessor holds at a time.
inline constexpr int kWgmmaRowBlocks[] = {1, 1, 2, 1, 1, 1, 1, 1, 1, 1, 1,
                                          2, 2, 1, 1, 1, 2, 1, 1, 2, 2};
static_assert(std::size(kWgmmaRowBlocks) == std::size(kWgmmaRowVariants));

/// TileN of the variants that add to memory, in order or atomically.
inline constexpr int kLeastColumnsOfSemaphores = 128;

/// RowFamily::resident_blocks and ::launch; `index` into kWgmmaRowVariants. The launch throws Error
/// (runtime) when the driver refuses the weights' descriptor.
int wgmma_row_blocks(int index, const RowWork& work);
void launch_wgmma_rows(int index, Dtype dtype, const GatherGemmParams& params,
                       const gpu::Stream& stream);

}  // namespace spb::plans
