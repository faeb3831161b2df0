// SPDX-License-Identifier: Apache-2.0
// Row orders: a stable sort of rows by segment, window and mask.
#pragma once

#include <bit>

#include "gpu/primitives.h"
#include "gpu/qualifiers.h"
#include "maps/orders/gray.h"
#include "maps/orders/window.h"
#include "maps/orders/z_order.h"
#include "maps/parts.h"

namespace spb::maps {

struct OrderNeeds {
  RowOrder order = RowOrder::gray;
  int64_t window = kWindow;
  int segments = 1;
  int tile_rows = 128;  ///< for RowOrder::greedy
  RowCoords coords;     ///< for RowOrder::z
};

/// How masks of one word become sort keys, by which rows are sorted in their segment and window.
struct KeyRule {
  bool gray = false;
  gpu::RowGroups groups;
  int32_t key_bits = 1;  ///< for what of a mask is left to tell rows apart
  PackedBits bits[kMostSegments];

  /// Bits that number the groups.
  int group_bits() const {
    return static_cast<int>(
        std::bit_width(static_cast<uint64_t>(groups.windows() * groups.segments - 1)));
  }
  /// Writes a row's keys [segments, rows].
  GPU_HOST_DEVICE void write(int64_t row, uint32_t mask, uint32_t* keys) const {
    for (int32_t segment = 0; segment < groups.segments; ++segment) {
      const uint32_t packed = bits[segment].pack(mask);
      keys[segment * groups.rows + row] = gray ? gray_position(packed) : packed;
    }
  }
};

/// For the masks' rows and kernel, filled or not, and an order other than none; without bits to
/// sort when masks have several words. Throws Error (usage) on a window below 1 and on too many
/// rows.
KeyRule key_rule(const RowMasks& masks, const OrderNeeds& needs);

/// Rows before they are sorted.
struct KeyedRows {
  KeyRule rule;
  gpu::Buffer<uint32_t> keys;              ///< [segments, n]
  gpu::Buffer<uint32_t> zeros;             ///< to be cleared before they are sorted
  std::optional<RowsAlongZ> along_z = {};  ///< of RowOrder::z, where sorted
};

/// Memory for keys of one word: empty for masks of several.
KeyedRows empty_keys(const RowMasks& masks, const OrderNeeds& needs, BuildContext context);

/// [segments, n_rows] rows at each position. Takes the keys, which may be empty. Empty for
/// RowOrder::none. Does not wait.
gpu::Buffer<int32_t> build_order(const RowMasks& masks, const OrderNeeds& needs, KeyedRows keyed,
                                 BuildContext context);

}  // namespace spb::maps
