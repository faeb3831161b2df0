// SPDX-License-Identifier: Apache-2.0
// The variants of the wgrad kernel, and which one a problem gets.
#pragma once

#include <algorithm>
#include <array>
#include <iterator>
#include <optional>
#include <string>
#include <vector>

#include "kernels/common/halo_places.h"
#include "kernels/kernel_variants.h"
#include "kernels/tiling.h"
#include "kernels/wgrad/halo/places.h"
#include "kernels/wgrad/halo/wgmma/places.h"
#include "kernels/wgrad/matrix_cores/tiles.h"

namespace spb::plans {

struct WgradTile {
  KernelVariant variant;
  int blocks;    ///< that run at a time on a multiprocessor
  double speed;  ///< of a full device, relative to the dtype's fastest that sm_80 has
  int warps_m = 0, warps_n = 0;  ///< of mma and fma tiles of sm_80, which share their sums
  int slots = 1;  ///< neighboring offsets that share TileN; beyond 1, c_in is TileN / slots
  /// That make two warpgroups that gather worth it, or sharing listed rows, of which fewer stay in
  /// the cache.
  int64_t least_rows = 0;
  const MatrixTile* matrix = nullptr;  ///< of AMD's matrix cores; nothing about it was measured
  bool halos = false;  ///< reads them instead of lists; TileM and TileN are all channels
};
/// Its blocks share the offsets of a tile (halo/wgmma).
constexpr bool shares_halos(const WgradTile& tile) {
  return tile.halos && tile.variant.min_arch == 90;
}
/// Steps of lists leave out slots that none of their rows has.
constexpr bool leaves_out_slots(const WgradTile& tile) {
  return tile.slots > 1 && tile.variant.min_arch == 90;
}
constexpr WgradTile by_halos(const KernelVariant& variant, double speed) {
  WgradTile row{variant, 1, speed};
  row.halos = true;
  return row;
}
constexpr WgradTile of_matrix_cores(const MatrixTile& tile) {
  WgradTile row{variant_of(tile), 2, 0.01};
  row.matrix = &tile;
  return row;
}

/// Indices into kWgradTiles.
enum WgradTileIndex {
  kPortable32,
  kPortable64,
  kHalf128x256,
  kHalf128x128,
  kHalf128x64,
  kHalf64x128,
  kHalf64x64,
  kHalf64x192Of3,
  kHalf32x32,
  kHalfAny,
  kTf128x256,
  kTf128x128,
  kTf128x64,
  kTf64x64,
  kTf32x32,
  kTfAny,
  k3xTf128x128,
  k3xTf64x64,
  k3xTfAny,
  kFma128x128,
  kFma64x64,
  kFmaAny,
  kWgmma128x256,
  kWgmma128x256By2,
  kWgmma128x128,
  kWgmma128x256Of2,
  kWgmma64x256Of4,
  kWgmmaTf128x256,
  kWgmmaTf128x128,
  kWgmmaTf64x256Of4,
  kWgmma3xTf128x256,
  kWgmma3xTf128x128,
  kWgmma3xTf64x128Of2,
  kHalo32,
  kHalo16,
  kHaloWgmma64,
  kMatrixFirst,  ///< and all of kMatrixWgradTiles
};

// name, TileM, TileN, TileK, stages, threads, lowest architecture, dtypes, channels' multiple,
// whether that architecture alone; blocks, speed (of 3xtf32's mma guessed, not fitted, of three
// offsets between those at one and four million rows, 0.51 and 0.61), warps, slots, least rows
inline constexpr WgradTile kMeasuredWgradTiles[] = {
    {{"fma_32x32x32", 32, 32, 32, 2, 32, 0, kPortableDtypes, 1}, 4, 0.02},
    {{"fma_64x64x32", 64, 64, 32, 2, 64, 0, kPortableDtypes, 1}, 4, 0.04},
    {{"mma_128x256x32_s5", 128, 256, 32, 5, 256, 80, kHalfDtypes, 8}, 1, 1.0, 2, 4},
    {{"mma_128x128x32_s4", 128, 128, 32, 4, 128, 80, kHalfDtypes, 8}, 2, 0.9, 2, 2},
    {{"mma_128x64x32_s4", 128, 64, 32, 4, 128, 80, kHalfDtypes, 8}, 3, 0.66, 2, 2},
    {{"mma_64x128x32_s4", 64, 128, 32, 4, 128, 80, kHalfDtypes, 8}, 3, 0.65, 2, 2},
    {{"mma_64x64x64_s3", 64, 64, 64, 3, 128, 80, kHalfDtypes, 8}, 3, 0.5, 2, 2},
    {{"mma_64x192x32_s4_3offsets", 64, 192, 32, 4, 128, 80, kHalfDtypes, 8},
     2,
     0.55,
     2,
     2,
     3,
     1'000'000},
    {{"mma_32x32x32_s4", 32, 32, 32, 4, 32, 80, kHalfDtypes, 8}, 10, 0.2, 1, 1},
    {{"mma_64x64x32_s4_any", 64, 64, 32, 4, 64, 80, kHalfDtypes, 1}, 4, 0.1, 2, 1},
    {{"mma_128x256x32_s4_tf32", 128, 256, 32, 4, 256, 80, kTf32, 4}, 1, 1.3, 2, 4},
    {{"mma_128x128x32_s4_tf32", 128, 128, 32, 4, 256, 80, kTf32, 4}, 1, 1.0, 2, 4},
    {{"mma_128x64x16_s4_tf32", 128, 64, 16, 4, 128, 80, kTf32, 4}, 2, 0.9, 2, 2},
    {{"mma_64x64x32_s3_tf32", 64, 64, 32, 3, 128, 80, kTf32, 4}, 3, 0.72, 2, 2},
    {{"mma_32x32x32_s4_tf32", 32, 32, 32, 4, 32, 80, kTf32, 4}, 5, 0.3, 1, 1},
    {{"mma_64x64x32_s4_tf32_any", 64, 64, 32, 4, 128, 80, kTf32, 1}, 2, 0.2, 2, 2},
    {{"mma_128x128x32_s4_3xtf32", 128, 128, 32, 4, 256, 80, kTf32x3, 4}, 1, 1.0, 2, 4},
    {{"mma_64x64x32_s3_3xtf32", 64, 64, 32, 3, 128, 80, kTf32x3, 4}, 3, 0.8, 2, 2},
    {{"mma_64x64x32_s4_3xtf32_any", 64, 64, 32, 4, 128, 80, kTf32x3, 1}, 2, 0.3, 2, 2},
    {{"fma_128x128x32_s3", 128, 128, 32, 3, 256, 80, kF32, 4}, 1, 1.0, 4, 2},
    {{"fma_64x64x32_s4", 64, 64, 32, 4, 64, 80, kF32, 4}, 3, 0.7, 2, 1},
    {{"fma_64x64x32_s4_any", 64, 64, 32, 4, 64, 80, kF32, 1}, 3, 0.3, 2, 1},
    {{"wgmma_128x256x64_s4", 128, 256, 64, 4, 384, 90, kHalfDtypes, 8, true}, 1, 1.65},
    {{"wgmma_128x256x64_s4_2gathers", 128, 256, 64, 4, 512, 90, kHalfDtypes, 8, true},
     1,
     1.68,
     0,
     0,
     1,
     2'000},
    {{"wgmma_128x128x64_s6", 128, 128, 64, 6, 512, 90, kHalfDtypes, 8, true}, 1, 0.95},
    {{"wgmma_128x256x64_s4_2offsets", 128, 256, 64, 4, 512, 90, kHalfDtypes, 8, true},
     1,
     1.13,
     0,
     0,
     2,
     500'000},
    {{"wgmma_64x256x64_s5_4offsets", 64, 256, 64, 5, 512, 90, kHalfDtypes, 8, true},
     1,
     0.6,
     0,
     0,
     4,
     50'000},
    {{"wgmma_128x256x32_s4_tf32", 128, 256, 32, 4, 512, 90, kTf32, 4, true}, 1, 2.1},
    {{"wgmma_128x128x32_s6_tf32", 128, 128, 32, 6, 512, 90, kTf32, 4, true}, 1, 1.6},
    {{"wgmma_64x256x32_s5_tf32_4offsets", 64, 256, 32, 5, 512, 90, kTf32, 4, true},
     1,
     0.85,
     0,
     0,
     4,
     1'000'000},
    {{"wgmma_128x256x32_s3_3xtf32", 128, 256, 32, 3, 512, 90, kTf32x3, 4, true}, 1, 1.95},
    {{"wgmma_128x128x32_s4_3xtf32", 128, 128, 32, 4, 512, 90, kTf32x3, 4, true}, 1, 1.65},
    {{"wgmma_64x128x32_s6_3xtf32_2offsets", 64, 128, 32, 6, 512, 90, kTf32x3, 4, true},
     1,
     0.95,
     0,
     0,
     2,
     50'000},
    by_halos({"halo_mma_32x32x256_s2", 32, 32, 256, 2, 512, 80, kHalfDtypes, 8}, 0.3),
    by_halos({"halo_mma_16x16x256_s2", 16, 16, 256, 2, 512, 80, kHalfDtypes, 8}, 0.15),
    by_halos({"halo_wgmma_64x64x256_s2", 64, 64, 256, 2, 512, 90, kHalfDtypes, 8, true}, 0.9),
};

inline constexpr auto kWgradTiles = [] {
  std::array<WgradTile, std::size(kMeasuredWgradTiles) + kMatrixWgradTileCount> all{};
  auto* next = std::ranges::copy(kMeasuredWgradTiles, all.begin()).out;
  for (const MatrixTile& tile : kMatrixWgradTiles) *next++ = of_matrix_cores(tile);
  return all;
}();
static_assert(kMatrixFirst == std::size(kMeasuredWgradTiles));

/// What the choice of a tile depends on.
struct WgradTask {
  Dtype dtype = Dtype::f32;
  int c_out = 1, c_in = 1;  ///< of a group of channels
  int kernel_volume = 1;
  bool masked = true;  ///< pair lists instead of all rows
  bool split = false;  ///< they may be cut
  int architecture = 0;
  int multiprocessors = 1;
  int64_t rows = 0;         ///< of the output
  bool shares_rows = true;  ///< neighboring offsets have enough of them in common
  /// Lists of groups of offsets are of coarse rows: no layer has them whose outputs are fine.
  bool has_offset_groups = true;
  int groups = 1;             ///< of channels
  unsigned matrix_cores = 0;  ///< gpu::matrix_cores_bit() of those that the device has
  bool halos = false;         ///< may be read instead of pair lists
};

/// Indices into kWgradTiles of those that can do the task, those expected to be fastest first;
/// without those that a name alone asks for.
std::vector<int> rank_wgrad_tiles(const WgradTask& task);

/// Index into kWgradTiles: `chosen`, unless null, where it can do the task, else the first of
/// rank_wgrad_tiles() that its rows are enough for, and whose sharing of them, if it does so, is
/// worth it. Some tile must fit.
int choose_wgrad_tile(const WgradTask& task, const KernelVariant* chosen = nullptr);

/// Nothing, or why a variant cannot do a task.
std::optional<std::string> unsupported(const WgradTask& task, const KernelVariant& variant);

/// Products summed by one instruction of kWgradTiles[tile]; 0 for scalar multiply-adds.
inline int wgrad_mma_depth(int tile, Dtype dtype) {
  const WgradTile& row = kWgradTiles[tile];
  if (row.matrix) return products_of_instruction(dtype);
  return row.variant.is_portable() ? 0 : info(dtype).mma_depth;
}

/// Dynamic shared memory of a block. Of wgmma, its alignment, the stages, and of 16 bits 2304 bytes
/// of output for each of eight warps, of tf32 the padding of one operand, of 3xtf32 the other
/// operand once more; of mma, padded stages, then a ring of row indices, in's by slots.
constexpr int wgrad_shared_bytes(const WgradTile& tile) {
  const KernelVariant& v = tile.variant;
  if (v.min_arch == 0) return 0;
  if (shares_halos(tile)) return HaloWgmmaWgradPlaces::kSharedBytes;
  if (tile.halos)  // two stages of a halo, local indices and rows of gout; lists, headers
    return v.stages *
               (maps::kHaloSlots * HaloPlaces::kRowBytes +
                (HaloWgradPlaces::kMostOffsets * maps::kHaloGroups + 1) * HaloPlaces::kEntryBytes +
                maps::kHaloRows * v.tile_m * operand_bytes(v.dtypes)) +
           2 * maps::kHaloSlots * int{sizeof(uint32_t)} +
           HaloWgradPlaces::kHeaderRing * int{sizeof(maps::HaloTile)};
  const int element_bytes = operand_bytes(v.dtypes), padding = element_bytes == 2 ? 16 : 32;
  if (v.min_arch == 90)
    return 1024 + v.stages * v.tile_k * (v.tile_m + v.tile_n) * element_bytes +
           (element_bytes == 2 ? 8 * 2304 : v.stages * v.tile_k * padding) +
           (v.dtypes == kTf32x3 ? v.stages * v.tile_k * v.tile_m * element_bytes : 0);
  const int stage = v.tile_k * ((v.tile_m + v.tile_n) * element_bytes + 2 * padding);
  return v.stages * stage + 2 * (v.stages - 1) * (1 + tile.slots) * v.tile_k * 4;
}

/// Blocks that share a tile by halos: each has some of its offsets.
constexpr int halo_wgrad_parts(const WgradTile& tile, int kernel_volume) {
  return shares_halos(tile) ? HaloWgmmaWgradPlaces::parts(kernel_volume) : 1;
}

/// Of those that write sums of their own, for `tiles` of halos. As few as take no more tiles each
/// than the most that can, since all sums are added up: OS2's 309 tiles by 103 blocks of three, of
/// 132 multiprocessors. Of many tiles to a block those that have one less leave the memory to
/// others, and are no loss; where several blocks share a tile there are few sums as it is.
constexpr int halo_wgrad_blocks(const WgradTile& tile, int kernel_volume, int64_t tiles,
                                int multiprocessors) {
  constexpr int64_t kFewTiles = 8;  // sphere:256 has as many to a block
  const int64_t most =
      std::max(1, tile.blocks * multiprocessors / halo_wgrad_parts(tile, kernel_volume));
  const int64_t each = tiles_of(tiles, most);
  const bool even = each > 0 && each <= kFewTiles && !shares_halos(tile);
  return static_cast<int>(even ? tiles_of(tiles, each) : std::min(tiles, most));
}

/// Shared memory that a block may have, by compute capability times ten.
constexpr int most_shared_bytes(int architecture) {
  if (architecture == 80 || architecture == 87) return 163 << 10;
  if (architecture == 90 || (architecture >= 100 && architecture < 120)) return 227 << 10;
  return 99 << 10;
}

/// Tiles of the gradient of one offset, or group of them.
constexpr int wgrad_tiles_of(const WgradTile& tile, int c_out, int c_in) {
  const KernelVariant& v = tile.variant;
  return ((c_out + v.tile_m - 1) / v.tile_m) * ((tile.slots * c_in + v.tile_n - 1) / v.tile_n);
}

template <class Tile>
constexpr bool has_shape_of(const WgradTile& row) {
  return Tile::kTileM == row.variant.tile_m && Tile::kTileN == row.variant.tile_n &&
         Tile::kTileK == row.variant.tile_k && Tile::kThreads == row.variant.threads &&
         Tile::kStages == row.variant.stages && Tile::kBlocks == row.blocks;
}

}  // namespace spb::plans
