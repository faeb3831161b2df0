// SPDX-License-Identifier: Apache-2.0
// Rows moved, for the algorithms that leave arithmetic to a dense product.
#pragma once

#include <cstdint>

#include "gpu/stream.h"

namespace spb::plans {

/// How elements are copied.
struct Copy {
  int element_bytes = 4;    ///< 1, 2 or 4
  bool round_tf32 = false;  ///< fp32, each to the nearest tf32 value; else bits as they are
};

/// to[i, :] = from[rows[i], :], zeros where rows[i] is -1, for `count` rows of `channels` elements.
/// im2col is this with the flattened NeighborMap as `rows`.
void gather_rows(Copy copy, const void* from, const int32_t* rows, int64_t count, int channels,
                 void* to, const gpu::Stream& stream);

/// to[i] = the tf32 value nearest to from[i].
void round_tf32(const void* from, int64_t count, void* to, const gpu::Stream& stream);

/// to[rows[i], :] += from[i, :] for rows that occur once; of fp32, or of int32 with `integers`.
void scatter_add_rows(bool integers, const float* from, const int32_t* rows, int64_t count,
                      int channels, float* to, const gpu::Stream& stream);

/// to[o, co, ci] = weights[co, o', ci] with o' = o, or kernel_volume - 1 - o when mirrored.
void permute_weights(Copy copy, const void* weights, int c_out, int kernel_volume, int c_in,
                     bool mirrored, void* to, const gpu::Stream& stream);

}  // namespace spb::plans
