// SPDX-License-Identifier: Apache-2.0
// Where chunks of 16 bytes lie in rows of shared memory, so that eight rows' accesses to one chunk
// touch all banks (docs/algorithms.md, section 8).
#pragma once

namespace spb::gpu::sm80 {

/// The chunk in which chunk `chunk` of a tile's row lies. `row_chunks` is a power of two.
constexpr int swizzled(int row, int chunk, int row_chunks) {
  return row_chunks >= 8   ? chunk ^ (row & 7)
         : row_chunks == 4 ? chunk ^ ((row >> 1) & 3)
                           : chunk ^ ((row >> 2) & (row_chunks - 1));
}

/// Byte offset of a chunk among rows of 128 bytes, the layout that wgmma reads.
constexpr unsigned swizzled_128(int row, int chunk) {
  return static_cast<unsigned>(row * 128 + ((chunk ^ (row & 7)) << 4));
}

}  // namespace spb::gpu::sm80
