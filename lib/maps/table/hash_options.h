// SPDX-License-Identifier: Apache-2.0
// How the coordinate hash table is sized and asked.
#pragma once

#include <cstdint>

namespace spb::maps {

/// What a hash table of coordinates holds: voxels, or cells of 4 x 4 x 4 of them; `by_size` is the
/// one that is expected to be faster (cells.h).
enum class TableOf { by_size, voxels, cells };

struct HashOptions {
  /// Most entries per slot, in (0, 1]. Lookups wait for the few keys that meet another one, and
  /// half as many do at an eighth as at a quarter.
  double load_factor = 0.125;
  int64_t capacity = 0;  ///< slots, a power of two; 0 = from the load factor
  int key_bits = 0;      ///< 32 or 64; 0 = the narrowest that numbers the box
  /// Of a submanifold map: look up half of the offsets, and write the mirrored entries with them.
  bool half = false;
  TableOf table_of = TableOf::by_size;
};

/// Slots for `entries` keys: the smallest power of two >= entries / load_factor and > entries, or
/// the forced capacity. Keys of `key_bits` are no more than 2^key_bits, and so are slots. Throws
/// Error (usage) on a load factor or capacity out of range.
int64_t table_capacity(int64_t entries, const HashOptions& options, int key_bits = 64);

/// The same where up to `most` keys become entries, a bound that is rarely reached by half: a
/// quarter of the slots.
int64_t set_capacity(int64_t most, const HashOptions& options, int key_bits);

}  // namespace spb::maps
