// SPDX-License-Identifier: Apache-2.0
// Launching a kernel. The only place where the vendors differ in how.
//
//   GPU_KERNEL void scale_kernel(float* values, int64_t n, float factor) {
//     const int64_t i = gpu::global_index();
//     if (i < n) values[i] *= factor;
//   }
//   gpu::launch_flat(scale_kernel, n, stream, values, n, 2.f);
//
// On host, launch() runs the threads of a block as fibers; launch_flat() runs kernels without
// barriers, shuffles or shared memory as a plain loop.
#pragma once

#include <cstdint>

#include "gpu/check.h"
#include "gpu/stream_handle.h"
#include "gpu/warp.cuh"

namespace spb::gpu {

/// Threads per block of launch_flat.
inline constexpr int kFlatBlock = 256;

/// Row of the flat grid: blockIdx.x * blockDim.x + threadIdx.x in 64 bits.
__device__ inline int64_t global_index() { return int64_t{blockIdx.x} * blockDim.x + threadIdx.x; }

/// `blocks` as the x of a grid. Throws Error (runtime) when a grid holds fewer.
unsigned grid_of(int64_t blocks);

/// Blocks of launch_flat. Throws Error (runtime) when a grid holds fewer than `items` threads.
unsigned flat_grid(int64_t items);

/// One thread per item, at least `items` threads; kernels check their own bound. Nothing is
/// launched for zero items. Refuses more items than a grid holds.
template <class... Params, class... Args>
void launch_flat(void (*kernel)(Params...), int64_t items, const Stream& stream, Args... args) {
  static_assert(sizeof...(Params) == sizeof...(Args));
  if (items <= 0) return;
  check(vendor::launch(kernel, dim3(flat_grid(items)), dim3(kFlatBlock), 0, handle_of(stream),
                       /*barriers=*/false, args...),
        "launch a kernel");
}

/// A grid of blocks whose threads never wait for each other and share no memory: on host a loop.
template <class... Params, class... Args>
void launch_plain(void (*kernel)(Params...), dim3 grid, dim3 block, const Stream& stream,
                  Args... args) {
  static_assert(sizeof...(Params) == sizeof...(Args));
  if (uint64_t{grid.x} * grid.y * grid.z == 0) return;
  check(vendor::launch(kernel, grid, block, 0, handle_of(stream), /*barriers=*/false, args...),
        "launch a kernel");
}

/// A grid of blocks whose threads may wait for each other. An empty grid launches nothing.
/// `shared_bytes` may be all that the device has. Throws Error (runtime) when the device refuses.
template <class... Params, class... Args>
void launch(void (*kernel)(Params...), dim3 grid, dim3 block, size_t shared_bytes,
            const Stream& stream, Args... args) {
  static_assert(sizeof...(Params) == sizeof...(Args));
  if (uint64_t{grid.x} * grid.y * grid.z == 0) return;
  check(vendor::launch(kernel, grid, block, shared_bytes, handle_of(stream), /*barriers=*/true,
                       args...),
        "launch a kernel");
}

/// Programmatic dependent launch: as launch(), of a kernel whose blocks may begin while the one
/// before it ends, where devices can do so. All its threads call wait_for_earlier_kernels() before
/// they touch any memory but their shared one, and after that the kernel is as any other: what it
/// may read is there, and what comes after it waits in turn. Saves up to two microseconds between
/// kernels.
///
/// wait_for_earlier_kernels() lets the next kernel begin, whose blocks then keep registers and
/// shared memory while they wait. One that is itself waited for long, beside which another stream
/// works, or whose own blocks come and go calls wait_for_earlier_kernels_alone() instead, and
/// let_next_kernel_begin() late or never: the next one begins when all blocks called it, or ended.
template <class... Params, class... Args>
void launch_early(void (*kernel)(Params...), dim3 grid, dim3 block, size_t shared_bytes,
                  const Stream& stream, Args... args) {
  static_assert(sizeof...(Params) == sizeof...(Args));
  if (uint64_t{grid.x} * grid.y * grid.z == 0) return;
  check(vendor::launch_early(kernel, grid, block, shared_bytes, handle_of(stream),
                             /*barriers=*/true, args...),
        "launch a kernel");
}

/// launch_flat() in the same way.
template <class... Params, class... Args>
void launch_flat_early(void (*kernel)(Params...), int64_t items, const Stream& stream,
                       Args... args) {
  static_assert(sizeof...(Params) == sizeof...(Args));
  if (items <= 0) return;
  check(vendor::launch_early(kernel, dim3(flat_grid(items)), dim3(kFlatBlock), 0, handle_of(stream),
                             /*barriers=*/false, args...),
        "launch a kernel");
}

/// Blocks of a grid that begins early by launch_few_early(): about two for each of today's
/// multiprocessors.
inline constexpr int64_t kFewBlocks = 256;

/// launch_early() of a grid of few blocks, launch() of others: many that wait are in the way of
/// those that still work. Maps of 131,000 voxels take 112 us of an H100 if none of their kernels
/// begins early, 107 if those of up to 132 or 264 blocks do, 113 with all (`map_build`, f16, 64
/// channels, medians); of 20,000 voxels 74, 71 and 71.
template <class... Params, class... Args>
void launch_few_early(void (*kernel)(Params...), dim3 grid, dim3 block, size_t shared_bytes,
                      const Stream& stream, Args... args) {
  if (int64_t{grid.x} * grid.y * grid.z <= kFewBlocks)
    launch_early(kernel, grid, block, shared_bytes, stream, args...);
  else
    launch(kernel, grid, block, shared_bytes, stream, args...);
}

/// launch_flat() in the same way.
template <class... Params, class... Args>
void launch_flat_few_early(void (*kernel)(Params...), int64_t items, const Stream& stream,
                           Args... args) {
  if (items <= kFewBlocks * kFlatBlock)
    launch_flat_early(kernel, items, stream, args...);
  else
    launch_flat(kernel, items, stream, args...);
}

}  // namespace spb::gpu
