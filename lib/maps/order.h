// Row orders: a stable sort of rows by segment, window and mask.
#pragma once

#include "maps/gray.h"
#include "maps/maps.h"

namespace spb::maps {

struct OrderNeeds {
  RowOrder order = RowOrder::gray;
  int64_t window = kWindow;
  int segments = 1;
};

/// How masks of one word become sort keys: (segment, window, rank) from the most significant bit.
struct KeyRule {
  bool gray = false;
  int32_t segments = 1;
  uint32_t windows = 1;
  uint32_t window = 1;    ///< rows
  int32_t rank_bits = 0;  ///< for what of a mask is left to tell rows apart
  int32_t key_bits = 1;
  PackedBits bits[kMostSegments];

  /// A rank of 32 bits would leave nothing of a 32-bit key to shift into, not even by 32.
  bool fits_32_bits() const { return key_bits <= 32 && rank_bits < 32; }

  /// Writes a row's place among those to be sorted: keys and rows are [segments, n].
  template <class Key>
  __device__ void write(int64_t row, int64_t n, uint32_t mask, Key* keys, int32_t* rows) const {
    const uint32_t in = static_cast<uint32_t>(row) / window;
    for (int32_t segment = 0; segment < segments; ++segment) {
      const uint32_t packed = bits[segment].pack(mask);
      const uint32_t rank = gray ? gray_position(packed) : packed;
      const int64_t item = segment * n + row;
      keys[item] =
          static_cast<Key>(static_cast<uint32_t>(segment) * windows + in) << rank_bits | rank;
      rows[item] = static_cast<int32_t>(row);
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
  gpu::Buffer<uint32_t> keys;  ///< [segments, n]
  gpu::Buffer<int32_t> rows;   ///< the same
};

/// Memory for keys of one word, if they fit: empty keys otherwise.
KeyedRows empty_keys(const RowMasks& masks, const OrderNeeds& needs, BuildContext context);

/// [segments, n_rows] rows at each position. Takes the keys, which may be empty. Empty for
/// RowOrder::none. Does not wait.
gpu::Buffer<int32_t> build_order(const RowMasks& masks, const OrderNeeds& needs, KeyedRows keyed,
                                 BuildContext context);

}  // namespace spb::maps
