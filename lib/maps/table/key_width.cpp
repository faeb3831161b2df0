// SPDX-License-Identifier: Apache-2.0
#include "maps/table/key_width.h"

#include <algorithm>
#include <bit>
#include <limits>
#include <string>

#include "core/error.h"
#include "core/problem.h"

namespace spb::maps {

uint64_t cell_count(const Box& box) {
  uint64_t cells = 1;
  bool too_large = false;
  for (const int32_t extent : {box.batch_size, box.shape[0], box.shape[1], box.shape[2]}) {
    if (extent < 0) throw input_error("box", "an extent is negative: " + std::to_string(extent));
    // A later zero would hide an overflow, but such a box has no cells at all.
    too_large |= __builtin_mul_overflow(cells, static_cast<uint64_t>(extent), &cells);
  }
  if (too_large)
    throw input_error("box",
                      std::to_string(box.batch_size) + " batches of " + to_text(box.shape) +
                          " cells need keys of more than 64 bits",
                      "use larger voxels or fewer batches");
  return cells;
}

int key_width(uint64_t cells, int forced) {
  // All ones marks an empty slot, so a width of w bits numbers 2^w - 1 cells: keys 0 to 2^w - 2.
  const int needed = cells <= std::numeric_limits<uint32_t>::max() ? 32 : 64;
  if (forced == 0) return needed;
  if (forced != 32 && forced != 64)
    throw usage_error("key width", std::to_string(forced) + " bits", "use 32 or 64");
  if (forced < needed)
    throw usage_error("key width",
                      "32 bits cannot number the " + std::to_string(cells) + " cells of the box",
                      "use 64");
  return forced;
}

int used_key_bits(uint64_t cells) {
  return cells < 2 ? 1 : static_cast<int>(std::bit_width(cells - 1));
}

}  // namespace spb::maps
