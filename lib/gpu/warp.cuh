// SPDX-License-Identifier: Apache-2.0
// What the threads of a warp and of a block do together. All live threads of the warp or block
// take part, at the same place of the source. Nobody writes 32: a warp has warp_size() lanes.
//
// clang-format off: a table
//   void     sync_threads()              all threads of the block; orders their memory
//   void     sync_warp()                 all threads of the warp; orders their memory
//   int      warp_size()                 constexpr in device code; DeviceInfo has it for the host
//   int      lane()                      of the calling thread, 0 .. warp_size() - 1
//   T        shuffle(value, source)      the value of lane `source`; T has 4 or 8 bytes
//   T        shuffle_xor(value, mask)    the value of lane() ^ mask
//   uint64_t ballot(predicate)           bit i: the predicate of lane i
//   int      popcount(bits)              of 64 bits
//   int      lowest_bit(bits)            index of the lowest set bit; bits != 0
//   T*       dynamic_shared<T>()         the launch's shared bytes, 16-byte aligned
//   const T& first_argument(parameter)   of a kernel whose first one it is: the same, read where it
//                                        was launched with. For what is indexed late: AMD's
//                                        compilers copy such a parameter to memory of each lane
//   void     copy_ahead<Bytes>(to, from) 4 or 16 bytes into shared memory, beside what comes next
//                                        where the device has such copies
//   void     wait_for_copies()           of the thread; others see their bytes after a barrier
//   uint64_t multiply_wide(a, b)         of 32 bits each, in one step. The compiler widens a factor
//                                        that is the same all through a loop, and takes five
//   void     finish_issuing_loads()      loads before it are not moved behind it, to where a branch
//                                        uses what they load
//   int      multiprocessor()            index of the one that runs the thread; -1 on chips whose
//                                        cycles() tell no clock
//   uint64_t cycles()                    of its clock, from an arbitrary start
//   uint64_t nanoseconds()               of a clock that all multiprocessors share
// clang-format on
//
// The vendor's header defines these words in namespace spb::gpu; here stands what follows from
// them.
#pragma once

#include "gpu/runtime.h"

namespace spb::gpu {

/// The combined value of all lanes, in every lane. `combine` is commutative and associative.
template <class T, class Combine>
__device__ T reduce_warp(T value, Combine combine) {
  for (int mask = warp_size() / 2; mask > 0; mask /= 2)
    value = combine(value, shuffle_xor(value, mask));
  return value;
}

/// The least value of all lanes, in every lane.
__device__ inline uint32_t warp_min(uint32_t value) {
#if defined(__CUDA_ARCH__) && __CUDA_ARCH__ >= 800
  return __reduce_min_sync(~0u, value);
#else
  return reduce_warp(value, [](uint32_t a, uint32_t b) { return a < b ? a : b; });
#endif
}

/// Index of the warp in its block, rows of threads laid end to end.
__device__ inline int warp_index() {
  return static_cast<int>((threadIdx.z * blockDim.y + threadIdx.y) * blockDim.x + threadIdx.x) /
         warp_size();
}

}  // namespace spb::gpu
