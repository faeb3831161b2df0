// SPDX-License-Identifier: Apache-2.0
// What a wgrad launch computes, and the launch.
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "gpu/stream.h"
#include "kernels/schedule/row_halos.h"
#include "kernels/wgrad/schedule.h"

namespace spb::plans {

/// gw[co, o, ci] = sum over the pairs of o of gout[u, co] * in[p, ci]. The pairs of an offset are
/// either all rows of `map` (absent ones add zeros) or a list.
///
/// Tiles with slots (WgradTile) have groups of so many neighboring offsets in the place of offsets:
/// a list then has one output row and an input row for each slot, -1 where absent, which adds
/// zeros. A NaN or an infinity in gout reaches other offsets of a group: all, or of kernels that
/// leave out slots those that rows of its step have; where all rows are read, all offsets of the
/// kernel.
struct WgradParams {
  int tile = 0;  ///< the variant, an index into kWgradTiles; no tile of the output
  const void* in = nullptr;
  const void* gout = nullptr;
  const int32_t* map = nullptr;           ///< [n_out, kernel_volume]
  const int32_t* in_index = nullptr;      ///< [slots, list_entries]
  const int32_t* out_index = nullptr;     ///< [list_entries]
  const int64_t* offset_begin = nullptr;  ///< [groups + 1]; null: all rows of `map`, which is all
                                          ///< that wgmma kernels read of it
  const uint8_t* step_slots = nullptr;    ///< OffsetGroups::step_slots
  int64_t list_entries = 0;
  int kernel_volume = 0;
  int c_in = 0, c_out = 0;           ///< of a group of channels
  int in_pitch = 0, gout_pitch = 0;  ///< of all groups: channels of a row
  void* gw = nullptr;                ///< [groups, c_out, kernel_volume, c_in]

  /// Tiles that read halos take these instead of lists, and [rows] output rows in their order. They
  /// have the sums of a block, or of those that share its tiles, as a partial, [blocks, c_out,
  /// kernel_volume, c_in].
  RowHalos halos;
  const int32_t* order = nullptr;
  int64_t rows = 0;

  const WgradPiece* pieces = nullptr;
  const int32_t* block_pieces = nullptr;  ///< [blocks + 1]
  int blocks = 0;
  const WgradSum* sums = nullptr;  ///< [sum_count]
  int sum_count = 0;
  int64_t slice_count = 0;    ///< of all sums
  float* partials = nullptr;  ///< [slices, TileM * TileN], each as its threads hold it
};

void launch_wgrad(Dtype dtype, const WgradParams& params, const gpu::Stream& stream);

/// Instances (CMakeLists.txt): E is the element type of gpu/element.cuh. Portable tiles.
template <class E>
void launch_portable_wgrad_of(const WgradParams& params, const gpu::Stream& stream);

/// Tiles that the vendor alone has: of NVIDIA those that name an architecture, elsewhere those of
/// AMD's matrix cores.
void launch_wgrad_of_vendor(Dtype dtype, const WgradParams& params, const gpu::Stream& stream);

}  // namespace spb::plans
