// How the coordinate hash table is sized.
#pragma once

#include <cstdint>

namespace spb::maps {

struct HashOptions {
  double load_factor = 0.5;  ///< most entries per slot, in (0, 1]
  int64_t capacity = 0;      ///< slots, a power of two; 0 = from the load factor
  int key_bits = 0;          ///< 32 or 64; 0 = the narrowest that numbers the box
};

/// Slots for `entries` keys: the smallest power of two >= entries / load_factor and > entries, or
/// the forced capacity. Throws Error (usage) on a load factor or capacity out of range.
int64_t table_capacity(int64_t entries, const HashOptions& options);

}  // namespace spb::maps
