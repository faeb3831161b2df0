// The coordinate hash table: open addressing, linear probing, all ones = empty (algorithms.md, 3).
#pragma once

#include <type_traits>

#include "gpu/atomic.cuh"
#include "gpu/buffer.h"
#include "maps/geometry.cuh"
#include "maps/hash_options.h"

namespace spb::maps {

/// Finalizers of MurmurHash3 (Austin Appleby, public domain): every key bit reaches every slot bit.
__device__ inline uint32_t mix(uint32_t key) {
  key ^= key >> 16;
  key *= 0x85ebca6bu;
  key ^= key >> 13;
  key *= 0xc2b2ae35u;
  return key ^ key >> 16;
}
__device__ inline uint64_t mix(uint64_t key) {
  key ^= key >> 33;
  key *= 0xff51afd7ed558ccdull;
  key ^= key >> 33;
  key *= 0xc4ceb9fe1a85ec53ull;
  return key ^ key >> 33;
}

/// The view that kernels take. No loop runs longer than the table has slots.
template <class Key>
struct HashTableRef {
  static constexpr Key kEmpty = ~Key{0};
  Key* keys = nullptr;         // [capacity]
  uint32_t* values = nullptr;  // [capacity] smallest row of the key; null in a set of keys
  int64_t capacity = 0;        // a power of two

  struct Claim {
    int64_t slot;  ///< -1 when every slot holds another key
    bool fresh;    ///< this call inserted the key
  };
  __device__ Claim claim(Key key) const {
    int64_t slot = home(key);
    for (int64_t probe = 0; probe < capacity; ++probe) {
      const Key old = gpu::atomic_cas(&keys[slot], kEmpty, key);
      if (old == kEmpty || old == key) return {slot, old == kEmpty};
      slot = (slot + 1) & (capacity - 1);
    }
    return {-1, false};
  }

  /// The row inserted with `key`, or -1. Only in launches after the inserting one.
  __device__ int32_t find(Key key) const {
    int64_t slot = home(key);
    for (int64_t probe = 0; probe < capacity; ++probe) {
      const Key found = keys[slot];
      if (found == key) return static_cast<int32_t>(values[slot]);
      if (found == kEmpty) return -1;
      slot = (slot + 1) & (capacity - 1);
    }
    return -1;
  }

 private:
  __device__ int64_t home(Key key) const { return static_cast<int64_t>(mix(key)) & (capacity - 1); }
};

/// What an inserting launch found, read back once.
struct InsertStatus {
  static constexpr uint32_t kNone = ~uint32_t{0};
  uint32_t out_of_range_row = kNone;  ///< the smallest
  uint32_t table_full = 0;
  uint64_t inserted = 0;  ///< distinct keys
  uint64_t repeats = 0;   ///< rows whose key was there already
};

/// Owns the arrays. All slots start empty.
template <class Key>
class HashTable {
 public:
  enum class Holds { keys, rows };
  HashTable(Holds holds, int64_t entries, const HashOptions& options, gpu::Allocator& allocator,
            const gpu::Stream& stream)
      : capacity_(table_capacity(entries, options)),
        keys_(allocator, capacity_, gpu::Tag::plan),
        values_(allocator, holds == Holds::rows ? capacity_ : 0, gpu::Tag::plan) {
    gpu::fill_bytes(keys_.data(), 0xFF, keys_.bytes(), stream);
    if (values_.size() > 0) gpu::fill_bytes(values_.data(), 0xFF, values_.bytes(), stream);
  }
  int64_t capacity() const { return capacity_; }
  HashTableRef<Key> ref() { return {keys_.data(), values_.data(), capacity_}; }

 private:
  int64_t capacity_;
  gpu::Buffer<Key> keys_;
  gpu::Buffer<uint32_t> values_;
};

}  // namespace spb::maps
