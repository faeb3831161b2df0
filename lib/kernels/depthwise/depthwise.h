// SPDX-License-Identifier: Apache-2.0
// Convolutions that join each channel with itself alone. No product of matrices is left, only rows
// that are gathered, scaled and added: memory and its caches are what counts.
//
// Rows go in tiles of an order in which neighbors share what they gather. A block takes successive
// tiles and a slab of channels: what fits one line of a row, so that the slab of a tile's neighbors
// stays in the first cache. The tile index names the gathered rows; its entries of an offset lie
// side by side, and offsets that no row of a tile has are not listed.
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "gpu/stream.h"
#include "kernels/common/epilogue.h"
#include "maps/parts.h"

namespace spb::plans {

inline constexpr int kDepthwiseTile = 128;    ///< rows
inline constexpr int kDepthwiseOffsets = 27;  ///< that a block of wgrad sums for

/// Blocks of the halo kernels that a multiprocessor holds at a time: one loads while others
/// multiply.
inline constexpr int kDepthwiseHaloBlocks = 3, kDepthwiseHaloWgradBlocks = 2;

/// The dtypes that depthwise kernels multiply: those of scalar instructions.
constexpr bool has_depthwise(Dtype dtype) {
  return dtype == Dtype::f32 || dtype == Dtype::f16 || dtype == Dtype::bf16;
}

/// What a pass goes by: tiles of kDepthwiseTile rows.
struct DepthwisePass {
  const int32_t* order = nullptr;         ///< [rows], or null: as numbered
  const int32_t* listed = nullptr;        ///< offsets of the tiles, one after the other
  const int64_t* listed_begin = nullptr;  ///< [tiles + 1]
  const int32_t* tile_index = nullptr;    ///< [listed, kDepthwiseTile] gathered rows, -1 = absent
  int64_t rows = 0, tiles = 0;
  int kernel_volume = 0, channels = 0;
  int tiles_each = 1;  ///< of a block

  /// For the lists of one segment, which have a tile index.
  DepthwisePass(const maps::TileLists& lists, int kernel_volume, int channels, Dtype dtype,
                Direction direction);
  int64_t chunks() const { return (tiles + tiles_each - 1) / tiles_each; }
};

/// What a pass of halos goes by (maps/halo.h): tiles of maps::kHaloRows rows, each with slabs of
/// channels as wide as a slot.
struct DepthwiseHaloPass {
  const int32_t* order = nullptr;         ///< [rows]
  const maps::HaloTile* tiles = nullptr;  ///< [tile_count]; the others as in maps::HaloLists
  const uint32_t *slots = nullptr, *more = nullptr;
  const uint16_t* local = nullptr;
  int64_t rows = 0, tile_count = 0;
  int kernel_volume = 0, channels = 0;
  int slabs = 0;  ///< of a tile
  /// What a block takes, and how often that is: slabs of a tile or, of wgrad, tiles of a slab.
  int64_t run = 1, runs = 0;

  /// For lists that have halos, of rows that depthwise_takes_halos().
  DepthwiseHaloPass(const maps::TileLists& lists, int kernel_volume, int channels, Dtype dtype,
                    Direction direction);
};

/// Whether masks have bits for all offsets, rows of so many channels consist of chunks of a slot,
/// and slots can name so many of them.
bool depthwise_takes_halos(Dtype dtype, int kernel_volume, int channels, int64_t rows);

/// out[row, c] = the epilogue of the sum over offsets o of weights[c, o] * source[gathered row, c].
/// `mirrored`: of weights[c, kernel_volume - 1 - o].
void depthwise_rows(Dtype dtype, const DepthwisePass& pass, const void* source, const void* weights,
                    bool mirrored, const OutputEpilogue& epilogue, void* out,
                    const gpu::Stream& stream);

/// The same, by halos. Source and output are aligned to chunks of a slot.
void depthwise_halo_rows(Dtype dtype, const DepthwiseHaloPass& pass, const void* source,
                         const void* weights, bool mirrored, const OutputEpilogue& epilogue,
                         void* out, const gpu::Stream& stream);

/// gw[c, o] = sum over rows of gout[row, c] * in[gathered row of o, c]. `partials` is scratch,
/// [chunks, channels * kernel_volume].
void depthwise_wgrad(Dtype dtype, const DepthwisePass& pass, const void* in, const void* gout,
                     float* partials, void* gw, const gpu::Stream& stream);

/// The same, by halos; partials are [runs, channels * kernel_volume].
void depthwise_halo_wgrad(Dtype dtype, const DepthwiseHaloPass& pass, const void* in,
                          const void* gout, float* partials, void* gw, const gpu::Stream& stream);

}  // namespace spb::plans
