// SPDX-License-Identifier: Apache-2.0
// What inserting coords found, read back once.
#pragma once

#include <cstdint>

#include "maps/device_coords.h"

namespace spb::maps {

/// All ones = nothing found, so that one fill clears it with the table. Rows are the smallest that
/// was seen; for `repeated` and `full`, which one that is varies from run to run.
struct InsertStatus {
  static constexpr uint32_t kNone = ~uint32_t{0};
  uint32_t out_of_range_row = kNone;
  uint32_t repeated_row = kNone;
  uint32_t full_row = kNone;  ///< found no free slot
  uint32_t unused = kNone;    ///< two words of 64 bits in all
};

/// Throws what the status says about `coords`, which a table of `capacity` slots was filled with.
void check(const InsertStatus& status, const RowCoords& coords, int64_t capacity,
           const gpu::Stream& stream);

}  // namespace spb::maps
