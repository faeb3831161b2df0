// SPDX-License-Identifier: Apache-2.0
// In which order lists of wgrad have the rows.
#pragma once

#include <cstdint>
#include <numeric>

#include "gpu/qualifiers.h"

namespace spb::maps {

/// Windows of rows in jumps of the golden section. Blocks go through their lists by fractions, but
/// offsets have their pairs at different places of a shape: only where lists mix the places are
/// the same rows needed by all at about the same time, and found in cache.
struct RowJumps {
  /// Rows that stay together: with their neighbors they fit in cache several times over.
  static constexpr int64_t kWindow = 4096;

  int64_t rows, windows, jump;

  explicit constexpr RowJumps(int64_t row_count)
      : rows(row_count), windows(row_count / kWindow), jump(windows * 618 / 1000) {
    while (std::gcd(jump, windows) > 1) ++jump;
  }
  /// The row at a position. Those behind the last whole window stay there.
  GPU_HOST_DEVICE constexpr int64_t row(int64_t position) const {
    const int64_t window = position / kWindow;
    return window >= windows ? position : window * jump % windows * kWindow + position % kWindow;
  }
};

}  // namespace spb::maps
