// SPDX-License-Identifier: Apache-2.0
// fprop and dgrad of few channels on Hopper's warpgroup multiplies: sm_90a, masked, 16-bit
// elements. A block keeps the weights of all offsets in shared memory and brings each tile's halo
// there (maps/halo.h), so that an input row is read once and not once for each of its neighbors.
#pragma once

#include "kernels/gather_gemm/kernels.h"
#include "kernels/kernel_variants.h"
#include "maps/halo/halo.h"

namespace spb::plans {

/// Four warpgroups of 64 rows each; one "stage": the halo has a single buffer.
inline constexpr KernelVariant kHaloRowVariants[] = {
    {"halo_256x32x32", 256, 32, 32, 1, 512, 90, kHalfDtypes, 8, true}};

/// Blocks that a multiprocessor holds at a time: one can load its halo while the other multiplies.
inline constexpr int kHaloRowBlocks = 2;

/// The greatest kernel volume: so many matrices of 32 x 32 fit beside a halo, in each of two
/// blocks.
inline constexpr int kMostHaloMatrices = 27;

/// RowFamily::unsupported_reason.
inline constexpr const char* kHaloUnsupportedReason =
    "takes sums over up to 32 channels, 27 offsets and fewer than 2^30 rows, masked and whole, "
    "with no other tile_order than z";
static_assert(kHaloRowVariants[0].tile_k == 32 && kMostHaloMatrices == 27);

/// RowFamily::resident_blocks and ::launch; `index` into kHaloRowVariants. The launch throws Error
/// (runtime) for more than kMostHaloMatrices offsets.
int halo_row_blocks(int index, const RowWork& work);
void launch_halo_rows(int index, Dtype dtype, const GatherGemmParams& params,
                      const gpu::Stream& stream);

/// Instances (CMakeLists.txt). E: the element type of gpu/element.cuh. Transposed:
/// K is not the contiguous index of the weights, as in dgrad.
template <class E, bool Transposed>
void launch_halo_rows_of(const GatherGemmParams& params, int multiprocessors,
                         const gpu::Stream& stream);

}  // namespace spb::plans
