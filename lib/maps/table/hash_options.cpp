// SPDX-License-Identifier: Apache-2.0
#include "maps/table/hash_options.h"

#include <algorithm>
#include <bit>
#include <cmath>
#include <string>

#include "core/error.h"

namespace spb::maps {

int64_t table_capacity(int64_t entries, const HashOptions& options, int key_bits) {
  if (options.capacity != 0) {
    if (options.capacity < 0 || !std::has_single_bit(static_cast<uint64_t>(options.capacity)))
      throw usage_error("hash table", "capacity " + std::to_string(options.capacity),
                        "use a power of two");
    return options.capacity;
  }
  // Below 2^-20 the capacity of a full row count would leave 2^51 slots: no machine holds it.
  if (!(options.load_factor >= 0x1p-20 && options.load_factor <= 1))
    throw usage_error("hash table", "load factor " + std::to_string(options.load_factor),
                      "use a value above 0, at most 1");
  const double slots = std::ceil(static_cast<double>(entries) / options.load_factor);
  const auto capacity = static_cast<int64_t>(
      std::bit_ceil(static_cast<uint64_t>(std::max(static_cast<int64_t>(slots), entries + 1))));
  return key_bits < 64 ? std::min(capacity, int64_t{1} << key_bits) : capacity;
}

int64_t set_capacity(int64_t most, const HashOptions& options, int key_bits) {
  HashOptions denser = options;
  denser.load_factor = std::min(1., 4 * options.load_factor);
  return table_capacity(most, denser, key_bits);
}

}  // namespace spb::maps
