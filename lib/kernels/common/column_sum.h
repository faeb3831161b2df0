// SPDX-License-Identifier: Apache-2.0
// The bias gradient: sums of the columns of gout, in two stages of fixed shape.
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "gpu/stream.h"

namespace spb::plans {

/// Rows that one block of the first stage adds up: at least 64, and at most 512 partial sums.
constexpr int64_t rows_per_partial(int64_t rows) {
  const int64_t for_512 = (rows + 511) / 512;
  return for_512 > 64 ? for_512 : 64;
}
/// Partial sums per column.
constexpr int64_t partials_of(int64_t rows) {
  return (rows + rows_per_partial(rows) - 1) / rows_per_partial(rows);
}

/// sums[c] = sum over rows of matrix[row, c], fp32. `partials` is scratch, [partials_of(rows),
/// columns]. Zero rows write zeros.
void column_sum(Dtype dtype, const void* matrix, int64_t rows, int columns, float* partials,
                float* sums, const gpu::Stream& stream);

/// From which on threads of four columns are enough for an H200: of 6,912 columns (wgrad of 16
/// channels) they are slower than threads of one, of 27,648 faster.
inline constexpr int64_t kManyColumns = 1 << 14;

/// out[i] = round(partials[0, i] + partials[1, i] + ...), added up in an order that `count` fixes.
/// partials: [count, columns] fp32; a count of zero writes zeros.
void sum_partials(Dtype dtype, const float* partials, int64_t count, int64_t columns, void* out,
                  const gpu::Stream& stream);

}  // namespace spb::plans
