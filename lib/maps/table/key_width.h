// SPDX-License-Identifier: Apache-2.0
// How many bits number the cells of a box.
#pragma once

#include "core/coords.h"

namespace spb::maps {

/// Cells of the box. Throws Error (runtime) when 64-bit keys, less the all-ones "empty" key, cannot
/// number them, or when an extent is negative.
uint64_t cell_count(const Box& box);

/// 32 or 64: the narrowest key for `cells`. With `forced` (32 or 64) that width instead; throws
/// Error (usage) when it is too narrow or neither.
int key_width(uint64_t cells, int forced = 0);

/// Bits that the largest key, cells - 1, uses; at least 1.
int used_key_bits(uint64_t cells);

}  // namespace spb::maps
