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
#include "maps/parts.h"

namespace spb::plans {

inline constexpr int kDepthwiseTile = 128;    ///< rows
inline constexpr int kDepthwiseOffsets = 27;  ///< that a block of wgrad sums for

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

/// out[row, c] = bias[c] + sum over offsets o of weights[c, o] * source[gathered row, c].
/// `mirrored`: of weights[c, kernel_volume - 1 - o]. The bias may be null.
void depthwise_rows(Dtype dtype, const DepthwisePass& pass, const void* source, const void* weights,
                    bool mirrored, const float* bias, void* out, const gpu::Stream& stream);

/// gw[c, o] = sum over rows of gout[row, c] * in[gathered row of o, c]. `partials` is scratch,
/// [chunks, channels * kernel_volume].
void depthwise_wgrad(Dtype dtype, const DepthwisePass& pass, const void* in, const void* gout,
                     float* partials, void* gw, const gpu::Stream& stream);

}  // namespace spb::plans
