// SPDX-License-Identifier: Apache-2.0
#include "maps/orders/z_order.h"

#include <algorithm>
#include <bit>

#include "gpu/group_tiles.cuh"
#include "gpu/launch.cuh"
#include "gpu/primitives.h"
#include "maps/orders/window_sort.cuh"
#include "maps/pairs/chunk.h"

namespace spb::maps {
namespace {

/// How coords become numbers along the curve, batch by batch: from the highest bit on, one bit of
/// each axis that has it.
class Curve {
 public:
  explicit Curve(const Box& box) : batch_bits_(width(std::max(box.batch_size, 1))) {
    int32_t all = batch_bits_;
    for (size_t axis = 0; axis < 3; ++axis) {
      axis_bits_[axis] = width(box.shape[axis]);
      all += axis_bits_[axis];
      widest_ = std::max(widest_, axis_bits_[axis]);
    }
    const int32_t dropped = std::max(std::clamp(all - kFewBits, 0, kMostDropped), all - 64);
    key_bits_ = std::max(all - dropped, 1);
  }
  int32_t key_bits() const { return key_bits_; }

  template <class Key>
  __device__ Key place(const Coord& c) const {
    const int32_t position[3] = {c.x, c.y, c.z};
    auto key = static_cast<Key>(c.batch);
    int32_t left = key_bits_ - batch_bits_;
    for (int32_t bit = widest_ - 1; bit >= 0; --bit)
      for (int axis = 0; axis < 3; ++axis)
        if (bit < axis_bits_[axis] && left > 0) {
          key = key << 1 | (static_cast<uint32_t>(position[axis]) >> bit & 1);
          --left;
        }
    return key;
  }

 private:
  /// Three passes of the sort. Beyond, the lowest bits are left out, at most those of cells of 4 x
  /// 4 x 4 voxels: in windows rows are sorted by their masks anyway.
  static constexpr int32_t kFewBits = 27, kMostDropped = 6;

  /// Of numbers below `count`.
  static int32_t width(int32_t count) {
    return static_cast<int32_t>(std::bit_width(static_cast<uint32_t>(std::max(count, 1) - 1)));
  }

  int32_t batch_bits_, axis_bits_[3], widest_ = 0, key_bits_;
};

/// All rows are one group.
gpu::RowGroups one_group(int64_t rows) {
  return {.rows = rows, .window = std::max<int64_t>(rows, 1)};
}

/// Keys of the sort that are written as they are counted.
struct PlacesAlong {
  const Coord* coords;
  Curve curve;
  uint32_t* places;

  __device__ uint32_t operator()(int64_t row) const {
    return places[row] = curve.place<uint32_t>(coords[row]);
  }
};

/// `rows`: their own numbers.
template <class Key>
GPU_KERNEL void places_kernel(const Coord* coords, int64_t n, Curve curve, Key* places,
                              int32_t* rows) {
  gpu::wait_for_earlier_kernels();
  const int64_t row = gpu::global_index();
  if (row >= n) return;
  places[row] = curve.place<Key>(coords[row]);
  rows[row] = static_cast<int32_t>(row);
}

/// By the vendor's sort.
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
                      coords.n, curve.key_bits(), allocator, stream);
  return last ? std::move(other_rows) : std::move(rows);
}

GPU_KERNEL void __launch_bounds__(kZWindow)
    sort_windows_kernel(WindowSort sort, int64_t n, int64_t windows, int32_t* order) {
  gpu::wait_for_earlier_kernels();
  __shared__ uint32_t shared[2 * kZWindow];
  const int64_t segment = blockIdx.x / windows, window = blockIdx.x - segment * windows;
  const int32_t row = row_in_window(sort, segment, window * kZWindow, n, shared);
  if (row >= 0) order[segment * n + window * kZWindow + threadIdx.x] = row;
}

}  // namespace

bool sorts_along_z(const RowCoords& coords) {
  return Curve(coords.box).key_bits() <= 32 && gpu::sorts_groups(one_group(coords.n));
}

RowsAlongZ empty_along_z(const RowCoords& coords, gpu::Allocator& allocator) {
  const auto words = [&](int64_t count) {
    return gpu::Buffer<uint32_t>(allocator, count, gpu::Tag::workspace);
  };
  const auto rows = [&] { return gpu::Buffer<int32_t>(allocator, coords.n, gpu::Tag::workspace); };
  const int key_bits = Curve(coords.box).key_bits();
  return {rows(), rows(), words(coords.n), words(coords.n),
          words(gpu::sort_groups_zeros(one_group(coords.n), key_bits))};
}

void count_along_z(const RowCoords& coords, RowsAlongZ& along, const gpu::Stream& stream) {
  const Curve curve(coords.box);
  gpu::fill_bytes(along.zeros.data(), 0, along.zeros.bytes(), stream);
  gpu::group_sort::count_groups(PlacesAlong{coords.rows, curve, along.places.data()},
                                one_group(coords.n), curve.key_bits(), along.zeros.data(), stream);
}

void sort_along_z(const RowCoords& coords, RowsAlongZ& along, const gpu::Stream& stream) {
  along.in_other =
      gpu::sort_counted_groups({along.places.data(), along.other_places.data()},
                               {along.rows.data(), along.other_rows.data()}, one_group(coords.n),
                               Curve(coords.box).key_bits(), along.zeros.data(), stream) != 0;
}

gpu::Buffer<int32_t> rows_along_z(const RowCoords& coords, std::optional<RowsAlongZ> along,
                                  BuildContext context) {
  if (along) return std::move(along->in_other ? along->other_rows : along->rows);
  const Curve curve(coords.box);
  return curve.key_bits() <= 32 ? sort_along<uint32_t>(curve, coords, context)
                                : sort_along<uint64_t>(curve, coords, context);
}

gpu::Buffer<int32_t> order_along_z(const gpu::Buffer<int32_t>& along,
                                   const gpu::Buffer<uint32_t>& keys, int key_bits, int segments,
                                   BuildContext context) {
  auto& [allocator, stream] = context;
  const int64_t n = along.size(), windows = tiles_of(n, kZWindow);
  gpu::Buffer<int32_t> order(allocator, segments * n, gpu::Tag::plan);
  gpu::launch_few_early(sort_windows_kernel, dim3(gpu::grid_of(windows * segments)), dim3(kZWindow),
                        0, stream, window_sort(along, keys, key_bits), n, windows, order.data());
  return order;
}

WindowSort window_sort(const gpu::Buffer<int32_t>& along, const gpu::Buffer<uint32_t>& keys,
                       int key_bits) {
  return {along.data(), keys.data(), std::max(key_bits + kPlaceBits - 32, 0)};
}

}  // namespace spb::maps
