// SPDX-License-Identifier: Apache-2.0
// fprop and dgrad of few channels, masked, 16-bit elements, by mma.sync or, on sm_90a, wgmma. A
// block keeps the weights of all offsets in shared memory and brings each tile's halo there
// (maps/halo.h), so that an input row is read once and not once for each of its neighbors.
#pragma once

#include <array>
#include <iterator>

#include "kernels/gather_gemm/kernels.h"
#include "kernels/kernel_variants.h"
#include "maps/halo/halo.h"

namespace spb::plans {

/// One "stage": the halo has a single buffer. Of an H200: few_channels and scans.
struct HaloRowTile {
  KernelVariant variant;
  /// That a multiprocessor holds at a time, where shared memory has room: some can load their halos
  /// while others multiply.
  int blocks;
  /// What a tile costs beside others on its multiprocessor; for many tiles twice what was measured,
  /// as are the times expected of other kernels.
  double tile_us;
  /// From so many rows on it is faster than kernels that gather.
  int64_t from_rows = 0;
};
inline constexpr HaloRowTile kHaloRowTiles[] = {
    {{"halo_256x32x32", 256, 32, 32, 1, 512, 90, kHalfDtypes, 8, true}, 2, 7.5},
    {{"halo_mma_256x32x32", 256, 32, 32, 1, 256, 80, kHalfDtypes, 8}, 2, 9, 200'000},
    {{"halo_mma_256x16x16", 256, 16, 16, 1, 256, 80, kHalfDtypes, 8}, 3, 4.5}};

inline constexpr auto kHaloRowVariants = [] {
  std::array<KernelVariant, std::size(kHaloRowTiles)> variants{};
  for (size_t i = 0; i < variants.size(); ++i) variants[i] = kHaloRowTiles[i].variant;
  return variants;
}();
/// The greatest kernel volume: so many matrices of 32 x 32 fit beside a halo, in each of two
/// blocks.
inline constexpr int kMostHaloMatrices = 27;

/// RowFamily::unsupported_reason.
inline constexpr const char* kHaloUnsupportedReason =
    "takes sums over up to 32 channels, 27 offsets and fewer than 2^30 rows (halo_mma_256x16x16: "
    "16 channels and columns), masked and whole, with no other tile_order than z, on GPUs whose "
    "shared memory has room";
static_assert(kHaloRowVariants[0].tile_k == 32 && kMostHaloMatrices == 27);

/// RowFamily::resident_blocks, ::halo_us and ::launch; `index` into kHaloRowVariants. The launch
/// throws Error (runtime) for more than kMostHaloMatrices offsets.
int halo_row_blocks(int index, const RowWork& work);
double halo_us(int index, const RowWork& work);
void launch_halo_rows(int index, Dtype dtype, const GatherGemmParams& params,
                      const gpu::Stream& stream);

/// Instances (CMakeLists.txt). E: the element type of gpu/element.cuh. Transposed:
/// K is not the contiguous index of the weights, as in dgrad.
template <class E, bool Transposed>
void launch_halo_wgmma_of(const GatherGemmParams& params, const gpu::Stream& stream);
/// `index` into kHaloRowTiles, of those by mma.sync.
template <class E, bool Transposed>
void launch_halo_mma_of(int index, const GatherGemmParams& params, const gpu::Stream& stream);
template <class E, bool Transposed>
int halo_mma_blocks_of(int index);

}  // namespace spb::plans
