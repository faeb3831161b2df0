// SPDX-License-Identifier: Apache-2.0
// How kernels that work on whole rows of a map share them out.
#pragma once

#include <algorithm>
#include <cstdint>

namespace spb::maps {

/// What one load or store moves at most.
struct alignas(16) FourRows {
  int32_t rows[4];
};

/// Rows of a block of up to `most` threads, one per row, that stages kernel_volume int32 of each in
/// shared memory. 48 KiB is what every device gives without being asked, less what kernels keep
/// there besides.
inline int32_t staged_rows(int kernel_volume, int32_t most) {
  const int64_t fit = (40 << 10) / (int64_t{kernel_volume} * int64_t{sizeof(int32_t)});
  return static_cast<int32_t>(std::clamp<int64_t>(fit, 1, most));
}

inline int64_t tiles_of(int64_t rows, int tile_rows) { return (rows + tile_rows - 1) / tile_rows; }

}  // namespace spb::maps
