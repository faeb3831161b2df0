// Rows moved as they are, for the algorithms that leave arithmetic to a dense product.
#pragma once

#include <cstdint>

#include "gpu/stream.h"

namespace spb::plans {

/// to[i, :] = from[rows[i], :], zeros where rows[i] is -1, for `count` rows of `channels` elements
/// of `element_bytes` (2 or 4). im2col is this with the flattened NeighborMap as `rows`.
void gather_rows(int element_bytes, const void* from, const int32_t* rows, int64_t count,
                 int channels, void* to, const gpu::Stream& stream);

/// to[rows[i], :] += from[i, :] for rows that occur once.
void scatter_add_rows(const float* from, const int32_t* rows, int64_t count, int channels,
                      float* to, const gpu::Stream& stream);

/// to[o, co, ci] = weights[co, o', ci] with o' = o, or kernel_volume - 1 - o when mirrored.
void permute_weights(int element_bytes, const void* weights, int c_out, int kernel_volume, int c_in,
                     bool mirrored, void* to, const gpu::Stream& stream);

}  // namespace spb::plans
