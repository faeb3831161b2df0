// SPDX-License-Identifier: Apache-2.0
// How much of the im2col matrix exists at a time.
#pragma once

#include <cstdint>

namespace spb::plans {

/// Bytes of the im2col matrix. Tests lower it to see chunks at work.
extern int64_t im2col_budget_bytes;

/// Rows of `row_bytes` that fit the budget, at least one.
inline int64_t im2col_chunk_rows(int64_t row_bytes) {
  const int64_t rows = im2col_budget_bytes / row_bytes;
  return rows > 1 ? rows : 1;
}

}  // namespace spb::plans
