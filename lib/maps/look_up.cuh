// Looking up the neighbors of every output row.
//
// Submanifold maps are symmetric, and half of the lookups would do. But then a row's entries are
// written by many threads to scattered places, must be cleared before and read again for the
// masks. Here a row is looked up by one thread and all of it leaves in one piece, masks included,
// which moves less.
#pragma once

#include "maps/chunk.h"
#include "maps/hash_table.cuh"
#include "maps/order.h"

namespace spb::maps {

constexpr int32_t kLookUpBlock = 128;  // at most
constexpr int kTogether = 9;           // lookups of a thread under way at once

template <class Key>
struct LookUp {
  const Coord* out;
  int64_t n;
  DeviceBox box;  // of the inputs
  DeviceGeometry geometry;
  RowTableRef<Key> table;
  int32_t* map;     // [n, kernel_volume]
  uint32_t* masks;  // [n, ceil(kernel_volume / 32)]
  // Known as soon as a row's mask of one word is; null for none.
  KeyRule rule;
  uint32_t* sort_keys;   // [segments, n]
  int32_t* sorted_rows;  // the same

  size_t shared_bytes(unsigned rows) const {
    const auto volume = static_cast<size_t>(geometry.kernel_volume);
    return static_cast<size_t>(padded_volume()) * sizeof(Key) + rows * volume * sizeof(int32_t);
  }
  /// What the last lookups of any word may read ahead.
  __host__ __device__ int32_t padded_volume() const {
    return geometry.kernel_volume + kTogether - 1;
  }
  /// Of the cell that component 0 of every axis leads to; wraps around outside of the box.
  __device__ Key first_key(const Coord& u) const {
    return box.key<Key>(u.batch, geometry.x.input(u.x, 0), geometry.y.input(u.y, 0),
                        geometry.z.input(u.z, 0));
  }
  /// From the first key to that of offset o.
  __device__ Key key_step(int32_t o) const {
    return box.key<Key>(0, int64_t{geometry.component_x(o)} * geometry.x.dilation,
                        int64_t{geometry.component_y(o)} * geometry.y.dilation,
                        int64_t{geometry.component_z(o)} * geometry.z.dilation);
  }
  /// Bit i = whether offset first + i leads into the box, for `count` offsets.
  __device__ uint32_t inside(const Coord& u, int32_t first, int32_t count) const {
    const auto all = static_cast<uint32_t>((uint64_t{1} << count) - 1);
    if (u.batch >= 0 && u.batch < box.batch_size && geometry.x.interior(u.x, box.x) &&
        geometry.y.interior(u.y, box.y) && geometry.z.interior(u.z, box.z))
      return all;
    uint32_t bits = 0;
    for (int32_t i = 0; i < count; ++i) {
      const int32_t o = first + i;
      const bool holds = box.holds_column(u.batch, geometry.x.input(u.x, geometry.component_x(o)),
                                          geometry.y.input(u.y, geometry.component_y(o))) &&
                         box.holds_z(geometry.z.input(u.z, geometry.component_z(o)));
      bits |= static_cast<uint32_t>(holds) << i;
    }
    return bits;
  }
};

/// Up to 32 lookups of one thread. Most keys are answered by their first slot; the few that meet
/// another key are collected and probed on one after the other, or each would hold up the warp.
/// `key_steps` may be read kTogether - 1 beyond `count`. Returns which were found.
template <class Key>
__device__ uint32_t look_up(const RowTableRef<Key>& table, Key first_key, const Key* key_steps,
                            uint32_t asked, int32_t count, int32_t* rows) {
  using Entry = typename RowTableRef<Key>::Entry;
  uint32_t found = 0, open = 0;
  for (int32_t begin = 0; begin < count; begin += kTogether) {
    Key keys[kTogether], slots[kTogether];
    Entry entries[kTogether];
    for (int i = 0; i < kTogether; ++i) {  // also of keys not asked for: any slot may be read
      keys[i] = first_key + key_steps[begin + i];
      slots[i] = home_slot(keys[i], table.last);
      entries[i] = table.load(slots[i]);
    }
    for (int i = 0; i < kTogether; ++i) {
      if (begin + i >= count) break;
      const Key key = table.key(entries[i]);
      const bool ask = asked >> (begin + i) & 1, hit = ask && key == keys[i];
      rows[begin + i] = hit ? table.row(entries[i], slots[i]) : -1;
      found |= static_cast<uint32_t>(hit) << (begin + i);
      open |= static_cast<uint32_t>(ask && !hit && key != kEmptyKey<Key>) << (begin + i);
    }
  }
  Key key = 0, slot = 0, tried = 0;
  while (open != 0) {
    const int i = gpu::lowest_bit(open);
    if (tried == 0) {
      key = first_key + key_steps[i];
      slot = home_slot(key, table.last);
    }
    slot = next_slot(slot, table.last);
    const Entry entry = table.load(slot);
    const bool hit = table.key(entry) == key;
    if (!hit && table.key(entry) != kEmptyKey<Key> && ++tried < table.last) continue;
    if (hit) {
      rows[i] = table.row(entry, slot);
      found |= uint32_t{1} << i;
    }
    open &= open - 1;
    tried = 0;
  }
  return found;
}

/// A thread looks up one output row, a block stages its rows and writes them as one piece.
template <class Key>
GPU_KERNEL void __launch_bounds__(kLookUpBlock) look_up_kernel(LookUp<Key> job) {
  const int32_t volume = job.geometry.kernel_volume;
  const auto thread = static_cast<int32_t>(threadIdx.x), threads = static_cast<int32_t>(blockDim.x);
  Key* key_steps = gpu::dynamic_shared<Key>();
  auto* staged = reinterpret_cast<int32_t*>(key_steps + job.padded_volume());
  for (int32_t o = thread; o < job.padded_volume(); o += threads) key_steps[o] = job.key_step(o);
  gpu::sync_threads();

  const int64_t first = int64_t{blockIdx.x} * threads;
  const int64_t row = first + thread;
  if (row < job.n) {
    const Coord u = job.out[row];
    const Key first_key = job.first_key(u);
    const int32_t words = (volume + 31) / 32;
    uint32_t mask = 0;
    for (int32_t word = 0; word < words; ++word) {
      const int32_t begin = 32 * word, count = volume - begin < 32 ? volume - begin : 32;
      mask = look_up(job.table, first_key, key_steps + begin, job.inside(u, begin, count), count,
                     staged + thread * volume + begin);
      job.masks[row * words + word] = mask;
    }
    if (job.sort_keys) job.rule.write(row, job.n, mask, job.sort_keys, job.sorted_rows);
  }
  gpu::sync_threads();
  const int64_t rows = job.n - first < threads ? job.n - first : threads;
  const auto entries = static_cast<int32_t>(rows) * volume;
  int32_t* to = job.map + first * volume;
  for (int32_t i = thread; i < entries; i += threads) to[i] = staged[i];
}

}  // namespace spb::maps
