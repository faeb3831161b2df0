// SPDX-License-Identifier: Apache-2.0
// What an fprop or dgrad launch computes, and the launch.
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "gpu/stream.h"
#include "kernels/common/epilogue.h"
#include "kernels/schedule/row_halos.h"
#include "kernels/schedule/work_tile.h"

namespace spb::plans {

/// Which rows make a tile, and which offsets it takes.
struct RowLists {
  const int32_t* order = nullptr;         ///< [rows] row at each position; null: positions are rows
  const int32_t* listed = nullptr;        ///< offsets of all tiles
  const int64_t* listed_begin = nullptr;  ///< [tiles + 1]; null: every tile takes all offsets
  /// [listed, TileM] map entries of the positions of each listed (tile, offset); null: map is read
  const int32_t* tile_index = nullptr;
  const int32_t* tile_order =
      nullptr;  ///< row tile at each position of the launch; null: as numbered
};

/// One pass of fprop or dgrad: out[row, :] = sum over offsets of source[map[row, o], :] * B_o,
/// with B_o[k, n] = weights[o * weight_offset_pitch + k * weight_k_pitch + n * weight_n_pitch].
/// With groups one such product for each, over k columns of the source and n of the output.
struct GatherGemmParams : RowLists {
  const void* source = nullptr;  ///< [*, groups * k] gathered features
  const void* weights = nullptr;
  int64_t weight_offset_pitch = 0, weight_k_pitch = 0, weight_n_pitch = 0;
  int64_t weight_group_pitch = 0;
  float* prepared = nullptr;             ///< of RowFamily::prepared_floats
  bool mirrored = false;                 ///< map offset o takes weight offset kernel_volume - 1 - o
  const int32_t* map = nullptr;          ///< [rows, kernel_volume], -1 = absent
  const WorkTile* work_tiles = nullptr;  ///< work of the persistent kernels
  uint32_t work_tile_count = 0;
  const int32_t* block_begin =
      nullptr;  ///< [scheduled_blocks + 1] first work tile of each; null: dynamic
  int scheduled_blocks = 0;
  uint32_t* work_tile_counters = nullptr;  ///< [2], zero before and after; null: a static schedule
  int64_t rows = 0;
  int kernel_volume = 0;
  int k = 0;                ///< channels of the source, of a group
  int n = 0;                ///< channels of the output, of a group
  int groups = 1;           ///< beyond 1: of kernels of families that take groups
  OutputEpilogue epilogue;  ///< of [groups * n] columns, where `out` is written
  void* out = nullptr;      ///< [rows, groups * n]
  /// Of split-K, [split, rows, groups * n], of integer dtypes int32; where those are outputs,
  /// `out` itself; null: `out` is written
  float* partials = nullptr;
  /// Of an ordered reduction, [segments, column tiles], which the plan sets to zero before each
  /// launch: `partials` is then a single one that
  /// the segments add to one after the other, and the last of them writes `out`. Null: partials are
  /// reduced later.
  uint32_t* semaphores = nullptr;
  /// Atomic split-K, or a pass over pair tiles: `partials` is a single one that the segments, or
  /// tiles, add to as they end; reduced later. RowFamily::adds_pairs says which tiles may.
  bool atomic = false;
  int split = 1;
  /// Of a pass split by segments of the offsets: slice s takes all of segments[s], not a part of
  /// every tile's list. `listed` and `tile_index` are those of all segments together, the same
  /// pointers in each; `order`, `listed_begin` and `tile_order` are a segment's own, the pass's
  /// those of segment 0.
  static constexpr int kMostSegments = maps::kMostSegments;
  int segment_count = 0;
  RowLists segments[kMostSegments];
  RowHalos halos;
};

/// `tile`: index into kPortableRowTiles.
void launch_portable_gather_gemm(int tile, Dtype dtype, const GatherGemmParams& params,
                                 const gpu::Stream& stream);

/// Instances (CMakeLists.txt): E is the element type of gpu/element.cuh.
template <class E>
void launch_portable_gather_gemm_of(int tile, const GatherGemmParams& params,
                                    const gpu::Stream& stream);

}  // namespace spb::plans
