// SPDX-License-Identifier: Apache-2.0
// What a launch is given: operands on the device, and what becomes of the sums.
#pragma once

#include <cstdint>
#include <span>

#include "core/epilogue.h"
#include "core/expected.h"
#include "core/storage.h"
#include "device_reference/tolerance.h"
#include "gpu/qualifiers.h"
#include "gpu/stream.h"

namespace spb::device_reference {

/// D, E and the sum of |a b| over products that belong together: of a kernel offset, or of
/// neighboring pairs.
struct Tile {
  double sum = 0, squares = 0, abs = 0;

  template <class Wanted>
  GPU_HOST_DEVICE void add(float a, float b) {
    const double product = static_cast<double>(a) * static_cast<double>(b);  // has at most 48 bits
    sum += product;
    if constexpr (Wanted::kAbs) abs += product < 0 ? -product : product;
    if constexpr (Wanted::kScales) squares += product * product;
  }
};

/// What becomes of a sum of fprop or dgrad before it is stored (core/epilogue.h).
struct Finish {
  const float* bias = nullptr;      ///< [columns] or null
  const float* residual = nullptr;  ///< [rows, columns] or null
  const float* scale = nullptr;     ///< [columns]; null: bias and residual are terms of the sum
  float residual_scale = 0;
  Activation activation = Activation::none;
  float slope = 0;
};

/// fprop and dgrad: of target element (row, column) of group g, the sum over offsets o that lead to
/// another row, and over k, of source[other, g * depth + k] * weights[o, k, column].
struct RowOperands {
  const int32_t* table;  ///< [rows, kernel_volume] other row, -1 where there is none
  const float* source;   ///< [other rows, groups * depth]
  const float* weights;
  int kernel_volume, groups, depth, group_columns;
  int64_t offset_pitch, k_pitch, group_pitch;  ///< of weights; columns of a group are neighbors
  Finish finish;
};

/// wgrad: of element (j, o, i), the sum over the pairs of offset o of gout[out, j] * in[in, i].
struct WeightOperands {
  const Triple* triples;  ///< by offset
  const int64_t* begins;  ///< [kernel_volume + 1] in them
  const float* in;        ///< [n_in, c_in]
  const float* gout;      ///< [n_out, c_out]
  int kernel_volume, c_in, c_out, groups;
  Tile* tiles;         ///< [tile_count]: those of as many elements at a time as fit
  int64_t tile_count;  ///< see least_tile_count()
  int64_t most_tiles;  ///< of an element
};

/// What Expected has of an element, and of what made it of its sum: how much an error may have
/// grown, and the magnitudes that its own roundings are relative to.
struct Element {
  double value, error_scale, partial_scale, abs_sum, terms;
  double gain = 1, finished = 0;
};

/// What a judge of bounded sums needs of an Element.
struct FoundSum {
  double value, error_scale, partial_scale, terms;
};

/// The tolerance and what the output's type can hold.
struct Rule {
  Tolerance tolerance = {};
  int bits = 0, min_exponent = 0;
  double least = 0, max = 0;  ///< of a type that saturates its ends
  bool saturates = false;
};

/// What one thread found, of all elements that it judged.
struct ThreadTally {
  int64_t compared = 0, mismatches = 0;
  int64_t first_mismatch = 0, worst_mismatch = 0;  ///< where there are any
  double worst_excess = 0;                         ///< its error beyond its bound

  double max_tolerance_ratio = 0, max_abs = 0, max_ulp = 0, error_squares = 0, value_squares = 0;
};

/// All elements, or those listed, are stored as expected, or else judged.
struct Work {
  const int64_t* listed = nullptr;  ///< flat indices; null: all
  int64_t count = 0;
  Element* expected = nullptr;  ///< [count]; null: judge
  const void* got = nullptr;
  Storage type = Storage::f32;
  int64_t turned_rows = 0;  ///< of a matrix that is stored by columns; 0: by rows
  Rule rule = {};
  /// Null, or where what was judged is kept of every `kept_step`-th element.
  Element* kept = nullptr;
  int64_t kept_step = 1;
  FoundSum* found = nullptr;       ///< null, or [count]: where all that were judged are kept
  ThreadTally* tallies = nullptr;  ///< [threads_of(count)], what was found before
};

/// Threads that share so many elements, in whole blocks: enough to fill today's devices, few enough
/// to read all their tallies.
GPU_HOST_DEVICE inline int64_t threads_of(int64_t count) {
  constexpr int64_t kMost = 1 << 16, kBlock = 256;
  return count < kMost ? (count + kBlock - 1) / kBlock * kBlock : kMost;
}

void sum_rows(const RowOperands& operands, Judged judged, const Work& work,
              const gpu::Stream& stream);
/// The same of all elements, judged: where rows and columns are such that blocks can share them.
bool has_row_blocks(const RowOperands& operands);
void judge_row_blocks(const RowOperands& operands, Judged judged, const Work& work,
                      const gpu::Stream& stream);
/// Judges all elements by sums that were found before.
void judge_found(const FoundSum* found, const Work& work, const gpu::Stream& stream);
/// Of pairs that lie between `begins`, as WeightOperands needs it.
int64_t most_tiles(std::span<const int64_t> begins);
/// What tile_count must be at least.
int64_t least_tile_count(int64_t most_tiles);
void sum_weights(const WeightOperands& operands, Judged judged, const Work& work,
                 const gpu::Stream& stream);
/// As judge_row_blocks().
bool has_weight_blocks(const WeightOperands& operands);
void judge_weight_blocks(const WeightOperands& operands, Judged judged, const Work& work,
                         const gpu::Stream& stream);

/// table[row, offset] = other row of each pair; rows are outputs or inputs. `table` holds -1.
void fill_table(const Triple* triples, int64_t count, bool by_output, int kernel_volume,
                int32_t* table, const gpu::Stream& stream);
/// [c_out, columns] to [columns, c_out].
void turn(const float* from, int64_t rows, int64_t columns, float* to, const gpu::Stream& stream);

}  // namespace spb::device_reference
