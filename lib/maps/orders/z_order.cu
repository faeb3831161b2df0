// SPDX-License-Identifier: Apache-2.0
#include "maps/orders/z_order.h"

#include <algorithm>
#include <bit>

#include "gpu/launch.cuh"
#include "gpu/primitives.h"
#include "maps/pairs/chunk.h"

namespace spb::maps {
namespace {

/// How coords become numbers along the curve, batch by batch: the low bits of each axis are left
/// out where 64 do not hold all.
struct Curve {
  int32_t axis_bits, dropped_bits, key_bits;

  explicit Curve(const Box& box) {
    const auto extent = static_cast<uint32_t>(std::ranges::max(box.shape));
    const auto batch_bits = static_cast<int32_t>(
        std::bit_width(static_cast<uint32_t>(std::max(box.batch_size, 1) - 1)));
    const auto bits = static_cast<int32_t>(std::bit_width(extent > 0 ? extent - 1 : 0));
    axis_bits = std::min(bits, (64 - batch_bits) / 3);
    dropped_bits = bits - axis_bits;
    key_bits = std::max(batch_bits + 3 * axis_bits, 1);
  }
  __device__ uint64_t place(const Coord& c) const {
    uint64_t key = static_cast<uint32_t>(c.batch);
    for (int32_t bit = axis_bits - 1; bit >= 0; --bit)
      key = key << 3 | (digit(c.x, bit) << 2 | digit(c.y, bit) << 1 | digit(c.z, bit));
    return key;
  }

 private:
  __device__ uint64_t digit(int32_t position, int32_t bit) const {
    return static_cast<uint32_t>(position) >> (bit + dropped_bits) & 1;
  }
};

template <class Key>
GPU_KERNEL void places_kernel(const Coord* coords, int64_t n, Curve curve, Key* places,
                              int32_t* rows) {
  gpu::wait_for_earlier_kernels();
  const int64_t row = gpu::global_index();
  if (row >= n) return;
  places[row] = static_cast<Key>(curve.place(coords[row]));
  rows[row] = static_cast<int32_t>(row);
}

template <class Key>
gpu::Buffer<int32_t> sort_along(const Curve& curve, const RowCoords& coords, BuildContext context) {
  auto& [allocator, stream] = context;
  gpu::Buffer<Key> places(allocator, coords.n, gpu::Tag::workspace);
  gpu::Buffer<Key> other_places(allocator, coords.n, gpu::Tag::workspace);
  gpu::Buffer<int32_t> rows(allocator, coords.n, gpu::Tag::workspace);
  gpu::Buffer<int32_t> other_rows(allocator, coords.n, gpu::Tag::workspace);
  gpu::launch_flat_few_early(places_kernel<Key>, coords.n, stream, coords.rows, coords.n, curve,
                             places.data(), rows.data());
  const int last =
      gpu::sort_pairs({places.data(), other_places.data()}, {rows.data(), other_rows.data()},
                      coords.n, curve.key_bits, allocator, stream);
  return last ? std::move(other_rows) : std::move(rows);
}

constexpr int kPlaceBits = 8;  // of a place in the window, below its key
static_assert(1 << kPlaceBits == kZWindow);

/// A block sorts a window: a bitonic network (K. E. Batcher, "Sorting networks and their
/// applications", 1968), with the rows' places as the low bits of their keys.
GPU_KERNEL void __launch_bounds__(kZWindow)
    sort_windows_kernel(const int32_t* along, const uint32_t* keys, int32_t dropped_bits, int64_t n,
                        int64_t windows, int32_t* order) {
  gpu::wait_for_earlier_kernels();
  __shared__ uint32_t shared[kZWindow];
  const auto thread = static_cast<int32_t>(threadIdx.x);
  const int64_t segment = blockIdx.x / windows, window = blockIdx.x - segment * windows;
  const int64_t first = window * kZWindow;
  const auto count = static_cast<int32_t>(n - first < kZWindow ? n - first : kZWindow);
  uint32_t key = ~uint32_t{0};  // behind all rows
  if (thread < count) {
    key = static_cast<uint32_t>(thread);
    if (keys) key |= keys[segment * n + along[first + thread]] >> dropped_bits << kPlaceBits;
  }
  for (int32_t size = 2; size <= kZWindow; size *= 2)
    for (int32_t stride = size / 2; stride > 0; stride /= 2) {
      uint32_t other;
      if (stride < gpu::warp_size()) {
        other = gpu::shuffle_xor(key, stride);
      } else {
        gpu::sync_threads();
        shared[thread] = key;
        gpu::sync_threads();
        other = shared[thread ^ stride];
      }
      const bool ascending = (thread & size) == 0, lower = (thread & stride) == 0;
      key = (ascending == lower) == (key < other) ? key : other;
    }
  if (thread < count) order[segment * n + first + thread] = along[first + (key & (kZWindow - 1))];
}

}  // namespace

gpu::Buffer<int32_t> order_along_z(const RowCoords& coords, const gpu::Buffer<uint32_t>& keys,
                                   int key_bits, int segments, BuildContext context) {
  auto& [allocator, stream] = context;
  const Curve curve(coords.box);
  const gpu::Buffer<int32_t> along = curve.key_bits <= 32
                                         ? sort_along<uint32_t>(curve, coords, context)
                                         : sort_along<uint64_t>(curve, coords, context);
  gpu::Buffer<int32_t> order(allocator, segments * coords.n, gpu::Tag::plan);
  const int64_t windows = tiles_of(coords.n, kZWindow);
  gpu::launch_few_early(sort_windows_kernel, dim3(gpu::grid_of(windows * segments)), dim3(kZWindow),
                        0, stream, along.data(), keys.data(),
                        std::max(key_bits + kPlaceBits - 32, 0), coords.n, windows, order.data());
  return order;
}

}  // namespace spb::maps
