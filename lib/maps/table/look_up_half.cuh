// SPDX-License-Identifier: Apache-2.0
// Looking up half of a submanifold map: u reaches q through offset o exactly if q reaches u through
// the mirrored one, kernel_volume - 1 - o.
#pragma once

#include "gpu/launch.cuh"
#include "maps/table/look_up.cuh"

namespace spb::maps {

constexpr int32_t kLookedUpTogether = 32;  // of a thread, in one look_up()

template <class Key>
size_t half_shared_bytes(const LookUp<Key>& job, unsigned rows) {
  return static_cast<size_t>(job.padded_volume()) * sizeof(Key) +
         size_t{rows} * kLookedUpTogether * sizeof(int32_t);
}

/// A thread looks up the offsets of one row before the center and writes both ends of each pair;
/// every entry has one writer. Entries without a pair are left as they are: absent, so cleared
/// before. kHalf = the offsets before the center, up to 32, or 0.
template <int kHalf, class Key>
GPU_KERNEL void __launch_bounds__(kLookUpBlock) look_up_half_kernel(LookUp<Key> job) {
  gpu::wait_for_earlier_kernels();
  const int32_t volume = job.geometry.kernel_volume, half = kHalf > 0 ? kHalf : volume / 2;
  const auto thread = static_cast<int32_t>(threadIdx.x), threads = static_cast<int32_t>(blockDim.x);
  Key* key_steps = gpu::dynamic_shared<Key>();
  auto* staged = reinterpret_cast<int32_t*>(key_steps + job.padded_volume());
  for (int32_t o = thread; o < job.padded_volume(); o += threads) key_steps[o] = job.key_step(o);
  gpu::sync_threads();

  const int64_t row = int64_t{blockIdx.x} * threads + thread;
  if (row >= job.n) return;
  const Coord u = job.out[row];
  const Key first_key = job.first_key(u);
  int32_t* own = job.map + row * volume;
  int32_t* rows = staged + thread * kLookedUpTogether;
  for (int32_t begin = 0; begin < half; begin += kLookedUpTogether) {
    const int32_t left = half - begin;
    const int32_t count = left < kLookedUpTogether ? left : kLookedUpTogether;
    uint32_t found = look_up<kHalf>(job.table, first_key, key_steps + begin,
                                    job.inside(u, begin, count), count, rows);
    for (; found != 0; found &= found - 1) {
      const int32_t i = gpu::lowest_bit(found), o = begin + i;
      own[o] = rows[i];
      job.map[int64_t{rows[i]} * volume + (volume - 1 - o)] = static_cast<int32_t>(row);
    }
  }
  own[half] = static_cast<int32_t>(row);
}

}  // namespace spb::maps
