// SPDX-License-Identifier: Apache-2.0
// Looking up the neighbors of every output row.
//
// Submanifold maps are symmetric, and half of the lookups would do. But then a row's entries are
// written by many threads to scattered places, must be cleared before and read again for the
// masks. Here a row is looked up by one thread and all of it leaves in one piece, masks included,
// which moves less.
#pragma once

#include "gpu/launch.cuh"
#include "maps/orders/order.h"
#include "maps/pairs/block_columns.cuh"
#include "maps/pairs/chunk.h"
#include "maps/pairs/unrolled.cuh"
#include "maps/table/column_look_up.cuh"
#include "maps/table/hash_table.cuh"

namespace spb::maps {

constexpr int32_t kLookUpBlock = kColumnBlock;  // at most
constexpr int kTogether = 9;                    // lookups of a thread under way at once
constexpr int kProbes = 4;                      // the same, of keys that met another one
constexpr int kCommonVolume = 27;               // of kernels that have code of their own: 3 x 3 x 3

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
  uint32_t* sort_keys;  // [segments, n]
  ColumnCounts columns;

  size_t shared_bytes(unsigned rows) const {
    const auto volume = static_cast<size_t>(geometry.kernel_volume);
    const auto words_of_columns =
        static_cast<size_t>(columns_wanted() ? column_words(geometry.kernel_volume) : 0);
    return static_cast<size_t>(padded_volume()) * sizeof(Key) +
           (rows * volume + words_of_columns) * sizeof(int32_t);
  }
  /// Whether look_up_columns() serves: offsets in columns of keys that follow one another.
  bool by_columns() const {
    return geometry.z.kernel_size == kColumnKeys && geometry.z.dilation == 1 && table.last > 0;
  }
  __host__ __device__ bool columns_wanted() const { return columns.words != nullptr; }
  /// With what the last lookups of any word may read ahead; what lies behind is aligned.
  __host__ __device__ int32_t padded_volume() const {
    return (geometry.kernel_volume + kTogether + 2) / 4 * 4;
  }
  /// Of the cell that component 0 of every axis leads to; wraps around outside of the box.
  __device__ Key first_key(const Coord& u) const {
    return box.key<Key>(u.batch, geometry.x.fine(u.x, 0), geometry.y.fine(u.y, 0),
                        geometry.z.fine(u.z, 0));
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
      const bool holds = box.holds_column(u.batch, geometry.x.fine(u.x, geometry.component_x(o)),
                                          geometry.y.fine(u.y, geometry.component_y(o))) &&
                         box.holds_z(geometry.z.fine(u.z, geometry.component_z(o)));
      bits |= static_cast<uint32_t>(holds) << i;
    }
    return bits;
  }
};

/// Probes on for the keys in `open`, whose first slot holds another key: several at once, or a warp
/// would wait for each of the most that any of its rows has. Returns which were found.
template <class Key>
__device__ uint32_t probe_on(const RowTableRef<Key>& table, Key first_key, const Key* key_steps,
                             uint32_t open, int32_t* rows) {
  uint32_t found = 0;
  for (Key tried = 1; open != 0 && tried <= table.last; ++tried) {
    uint32_t left = open;
    while (left != 0) {
      int32_t which[kProbes] = {};
      Key keys[kProbes], slots[kProbes];
      typename RowTableRef<Key>::Entry entries[kProbes];
      unrolled<kProbes>([&](auto j) {  // the first again when too few are left
        which[j.value] = j.value == 0 || left != 0 ? gpu::lowest_bit(left) : which[0];
        left &= left - 1;
        keys[j.value] = first_key + key_steps[which[j.value]];
        slots[j.value] = later_slot(home_slot(keys[j.value], table.last), tried, table.last);
        entries[j.value] = table.load(slots[j.value]);
      });
      unrolled<kProbes>([&](auto j) {
        const Key key = table.key(entries[j.value]);
        const bool hit = key == keys[j.value];
        const uint32_t bit = uint32_t{1} << which[j.value];
        if (hit) rows[which[j.value]] = table.row(entries[j.value], slots[j.value]);
        if (hit) found |= bit;
        if (hit || key == kEmptyKey<Key>) open &= ~bit;
      });
    }
  }
  return found;
}

/// What the first slots of up to 32 keys of a thread say. Most keys are answered there; the few
/// that meet another key are collected and probed on later, or each would hold up the warp.
template <class Key>
struct FirstSlots {
  const RowTableRef<Key>& table;
  uint32_t asked;
  int32_t* rows;
  uint32_t found = 0, open = 0;

  __device__ void note(int32_t i, Key key, Key slot, typename RowTableRef<Key>::Entry entry) {
    const Key there = table.key(entry);
    const bool ask = asked >> i & 1, hit = ask && there == key;
    rows[i] = hit ? table.row(entry, slot) : -1;
    const bool goes_on = ask && !hit && there != kEmptyKey<Key> && table.leads_on(entry);
    found |= static_cast<uint32_t>(hit) << i;
    open |= static_cast<uint32_t>(goes_on) << i;
  }
};

/// Up to 32 lookups of one thread. `key_steps` may be read kTogether - 1 beyond `count`; kCount =
/// count, or 0. Returns which were found.
template <int kCount, class Key>
__device__ uint32_t look_up(const RowTableRef<Key>& table, Key first_key, const Key* key_steps,
                            uint32_t asked, int32_t count, int32_t* rows) {
  FirstSlots<Key> first{table, asked, rows};
  const auto look_up_from = [&](int32_t begin) {
    Key keys[kTogether], slots[kTogether];
    typename RowTableRef<Key>::Entry entries[kTogether];
    unrolled<kTogether>([&](auto i) {  // also of keys not asked for: any slot may be read
      keys[i.value] = first_key + key_steps[begin + i.value];
      slots[i.value] = home_slot(keys[i.value], table.last);
      entries[i.value] = table.load(slots[i.value]);
    });
    unrolled<kTogether>([&](auto i) {
      if (begin + i.value < count)
        first.note(begin + i.value, keys[i.value], slots[i.value], entries[i.value]);
    });
  };
  if constexpr (kCount > 0)
    unrolled<(kCount + kTogether - 1) / kTogether>(
        [&](auto part) { look_up_from(part.value * kTogether); });
  else
    for (int32_t begin = 0; begin < count; begin += kTogether) look_up_from(begin);
  return first.found | probe_on(table, first_key, key_steps, first.open, rows);
}

/// The same of kCount offsets in columns, by two loads for three of them.
template <int kCount, class Key>
__device__ uint32_t look_up_columns(const RowTableRef<Key>& table, Key first_key,
                                    const Key* key_steps, uint32_t asked, int32_t* rows) {
  constexpr int kColumns = kCount / kColumnKeys;
  FirstSlots<Key> first{table, asked, rows};
  unrolled<(kColumns + kColumnsTogether - 1) / kColumnsTogether>([&](auto part) {
    constexpr int kBegin = part.value * kColumnsTogether;
    constexpr int kHere =
        kColumns - kBegin < kColumnsTogether ? kColumns - kBegin : kColumnsTogether;
    ColumnLookUp<Key> columns[kHere];
    unrolled<kHere>([&](auto c) {
      columns[c.value].start(table, first_key + key_steps[(kBegin + c.value) * kColumnKeys]);
    });
    unrolled<kHere>([&](auto c) {
      unrolled<kColumnKeys>([&](auto i) {
        first.note(
            (kBegin + c.value) * kColumnKeys + i.value, columns[c.value].template key<i.value>(),
            columns[c.value].template slot<i.value>(), columns[c.value].template entry<i.value>());
      });
    });
  });
  return first.found | probe_on(table, first_key, key_steps, first.open, rows);
}

/// A thread looks up one output row, a block stages its rows and writes them as one piece.
/// kVolume = the kernel's volume, up to 32, or 0; kByColumns: as LookUp::by_columns() allows.
template <int kVolume, bool kByColumns, class Key>
GPU_KERNEL void __launch_bounds__(kLookUpBlock) look_up_kernel(LookUp<Key> job) {
  const int32_t volume = kVolume > 0 ? kVolume : job.geometry.kernel_volume;
  const auto thread = static_cast<int32_t>(threadIdx.x), threads = static_cast<int32_t>(blockDim.x);
  Key* key_steps = gpu::dynamic_shared<Key>();
  auto* staged = reinterpret_cast<int32_t*>(key_steps + job.padded_volume());
  for (int32_t o = thread; o < job.padded_volume(); o += threads) key_steps[o] = job.key_step(o);
  gpu::wait_for_earlier_kernels();
  gpu::sync_threads();

  const int64_t first = int64_t{blockIdx.x} * threads;
  const int64_t row = first + thread;
  uint32_t mask = 0;
  if (row < job.n) {
    const Coord u = job.out[row];
    const Key first_key = job.first_key(u);
    const int32_t words = (volume + 31) / 32;
    for (int32_t word = 0; word < words; ++word) {
      const int32_t begin = 32 * word, count = volume - begin < 32 ? volume - begin : 32;
      const uint32_t inside = job.inside(u, begin, count);
      int32_t* rows_of_word = staged + thread * volume + begin;
      if constexpr (kByColumns)
        mask = look_up_columns<kVolume>(job.table, first_key, key_steps, inside, rows_of_word);
      else
        mask =
            look_up<kVolume>(job.table, first_key, key_steps + begin, inside, count, rows_of_word);
      job.masks[row * words + word] = mask;
    }
    if (job.sort_keys) job.rule.write(row, mask, job.sort_keys);
  }
  auto* columns = reinterpret_cast<uint32_t*>(staged + threads * volume);
  if (job.columns_wanted()) stage_columns(mask, volume, columns);
  gpu::sync_threads();
  const int64_t rows = job.n - first < threads ? job.n - first : threads;
  const auto entries = static_cast<int32_t>(rows) * volume;
  int32_t* to = job.map + first * volume;
  int32_t copied = 0;
  if (threads * volume % 4 == 0) {  // then all blocks begin at a multiple of 16 bytes
    copied = entries / 4 * 4;
    for (int32_t i = thread; i < entries / 4; i += threads)
      reinterpret_cast<FourRows*>(to)[i] = reinterpret_cast<const FourRows*>(staged)[i];
  }
  for (int32_t i = copied + thread; i < entries; i += threads) to[i] = staged[i];
  if (job.columns_wanted()) write_columns(columns, first, volume, job.columns);
}

}  // namespace spb::maps
