// SPDX-License-Identifier: Apache-2.0
// The coordinate hash table: open addressing, all ones = empty (algorithms.md, section 3).
//
// Keys count along z fastest, and neighbors are looked up by rows that often follow one another
// along z. So 16 consecutive keys share 16 consecutive slots, one line of the cache: a warp's
// lookups fall together. Probing jumps to another line, where the keys are unrelated: runs of keys
// build no clusters.
#pragma once

#include <type_traits>

#include "gpu/atomic.cuh"
#include "maps/table/geometry.cuh"

namespace spb::maps {

/// Every key bit reaches every slot bit. The longer one is the finalizer of MurmurHash3 (Austin
/// Appleby, public domain); its shorter one takes a step more and collides as often.
__device__ inline uint32_t mix(uint32_t key) {
  key *= 0x9e3779b1u;  // 2^32 over the golden ratio
  key ^= key >> 15;
  key *= 0x85ebca6bu;
  return key ^ key >> 16;
}
__device__ inline uint64_t mix(uint64_t key) {
  key ^= key >> 33;
  key *= 0xff51afd7ed558ccdull;
  key ^= key >> 33;
  key *= 0xc4ceb9fe1a85ec53ull;
  return key ^ key >> 33;
}

/// Where a key is looked for first, in a table of `last` + 1 slots, a power of two. The order
/// inside a line is shuffled by its hash, or keys that are all multiples of 16 would share one
/// slot.
template <class Key>
__device__ Key home_slot(Key key, Key last) {
  return (mix(key / 16) ^ key % 16) & last;
}
/// Where next. The step is odd, so that every slot has its turn.
template <class Key>
__device__ Key next_slot(Key slot, Key last) {
  return (slot + 17) & last;
}
/// After how many steps.
template <class Key>
__device__ Key later_slot(Key slot, Key steps, Key last) {
  return (slot + 17 * steps) & last;
}

template <class Key>
inline constexpr Key kEmptyKey = ~Key{0};

enum class Inserted { fresh, repeated, full };

/// A set of keys. The view that kernels take.
template <class Key>
struct KeySetRef {
  Key* keys;  // [last + 1]
  Key last;

  __device__ Inserted insert(Key key) const {
    Key slot = home_slot(key, last);
    for (Key tried = 0;; ++tried) {
      const Key old = gpu::atomic_cas(&keys[slot], kEmptyKey<Key>, key);
      if (old == kEmptyKey<Key>) return Inserted::fresh;
      if (old == key) return Inserted::repeated;
      if (tried == last) return Inserted::full;
      slot = next_slot(slot, last);
    }
  }
};

/// Of two slots side by side.
template <class Entry>
struct alignas(2 * sizeof(Entry)) TwoEntries {
  Entry first, second;
};

/// Keys with the row that each was inserted with. Entry is what one probe loads.
template <class Key>
struct RowTableRef;

/// {key, row} in one word: one compare-and-swap inserts both, one load finds both. Rows leave a bit
/// free, which says in a key's first slot that it stands in a later one: of the lookups of absent
/// keys that meet another key, up to an eighth at the usual load, most then end there.
template <>
struct RowTableRef<uint32_t> {
  using Entry = uint64_t;
  static constexpr Entry kLeadsOn = Entry{1} << 31;
  uint64_t* entries;  // [last + 1]
  uint32_t last;

  static int64_t words(int64_t capacity) { return capacity; }
  RowTableRef(uint64_t* memory, int64_t capacity)
      : entries(memory), last(static_cast<uint32_t>(capacity - 1)) {}

  __device__ Entry load(uint32_t slot) const { return entries[slot]; }
  /// `slot` is even; the table has two or more.
  __device__ TwoEntries<Entry> load_pair(uint32_t slot) const {
    return *reinterpret_cast<const TwoEntries<Entry>*>(entries + slot);
  }
  __device__ static uint32_t key(Entry entry) { return static_cast<uint32_t>(entry >> 32); }
  __device__ int32_t row(Entry entry, uint32_t /*slot*/) const {
    return static_cast<int32_t>(entry & (kLeadsOn - 1));
  }
  /// Of a first slot: whether keys that belong there may stand in later ones.
  __device__ static bool leads_on(Entry entry) { return (entry & kLeadsOn) != 0; }
  __device__ void lead_on(uint32_t slot) const { gpu::atomic_or(&entries[slot], kLeadsOn); }
  __device__ uint32_t claim(uint32_t slot, uint32_t key_of_row, uint32_t row_of_key) const {
    return key(gpu::atomic_cas(&entries[slot], ~Entry{0}, Entry{key_of_row} << 32 | row_of_key));
  }
};

/// Keys and rows apart.
template <>
struct RowTableRef<uint64_t> {
  using Entry = uint64_t;
  uint64_t* keys;  // [last + 1]
  uint32_t* rows;  // [last + 1]
  uint64_t last;

  static int64_t words(int64_t capacity) { return capacity + (capacity + 1) / 2; }
  RowTableRef(uint64_t* memory, int64_t capacity)
      : keys(memory),
        rows(reinterpret_cast<uint32_t*>(memory + capacity)),
        last(static_cast<uint64_t>(capacity - 1)) {}

  __device__ Entry load(uint64_t slot) const { return keys[slot]; }
  __device__ TwoEntries<Entry> load_pair(uint64_t slot) const {
    return *reinterpret_cast<const TwoEntries<Entry>*>(keys + slot);
  }
  __device__ static uint64_t key(Entry entry) { return entry; }
  __device__ int32_t row(Entry /*entry*/, uint64_t slot) const {
    return static_cast<int32_t>(rows[slot]);
  }
  __device__ static bool leads_on(Entry /*entry*/) { return true; }
  __device__ void lead_on(uint64_t /*slot*/) const {}
  __device__ uint64_t claim(uint64_t slot, uint64_t key_of_row, uint32_t row_of_key) const {
    const uint64_t old = gpu::atomic_cas(&keys[slot], kEmptyKey<uint64_t>, key_of_row);
    if (old == kEmptyKey<uint64_t>) rows[slot] = row_of_key;
    return old;
  }
};

template <class Key>
__device__ Inserted insert(const RowTableRef<Key>& table, Key key, uint32_t row) {
  Key slot = home_slot(key, table.last);
  for (Key tried = 0;; ++tried) {
    const Key old = table.claim(slot, key, row);
    if (old == kEmptyKey<Key>) return Inserted::fresh;
    if (old == key) return Inserted::repeated;
    if (tried == table.last) return Inserted::full;
    if (tried == 0) table.lead_on(slot);
    slot = next_slot(slot, table.last);
  }
}

}  // namespace spb::maps
