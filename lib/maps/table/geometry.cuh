// SPDX-License-Identifier: Apache-2.0
// Boxes, keys and kernel offsets as kernels compute them. Positions are 64-bit: u * stride + d may
// leave int32 for boxes near 2^31 cells per axis.
#pragma once

#include "core/problem.h"
#include "gpu/launch.cuh"

namespace spb::maps {

/// A box with its keys, ((batch * X + x) * Y + y) * Z + z.
struct DeviceBox {
  int32_t batch_size = 0, x = 0, y = 0, z = 0;

  explicit DeviceBox(const Box& box)
      : batch_size(box.batch_size), x(box.shape[0]), y(box.shape[1]), z(box.shape[2]) {}

  /// To be asked before a key is formed: outside the box keys alias other cells.
  __device__ bool holds(const Coord& c) const {
    return holds_column(c.batch, c.x, c.y) && holds_z(c.z);
  }
  __device__ bool holds_column(int32_t batch, int64_t px, int64_t py) const {
    return in(batch, batch_size) && in(px, x) && in(py, y);
  }
  __device__ bool holds_z(int64_t pz) const { return in(pz, z); }

  template <class Key>
  __device__ Key key(int32_t batch, int64_t px, int64_t py, int64_t pz) const {
    const Key plane = static_cast<Key>(batch) * static_cast<Key>(x) + static_cast<Key>(px);
    return (plane * static_cast<Key>(y) + static_cast<Key>(py)) * static_cast<Key>(z) +
           static_cast<Key>(pz);
  }
  template <class Key>
  __device__ Key key(const Coord& c) const {
    return key<Key>(c.batch, c.x, c.y, c.z);
  }

  __device__ Coord coord(uint64_t key) const {
    Coord c;
    c.z = static_cast<int32_t>(key % static_cast<uint64_t>(z));
    key /= static_cast<uint64_t>(z);
    c.y = static_cast<int32_t>(key % static_cast<uint64_t>(y));
    key /= static_cast<uint64_t>(y);
    c.x = static_cast<int32_t>(key % static_cast<uint64_t>(x));
    c.batch = static_cast<int32_t>(key / static_cast<uint64_t>(x));
    return c;
  }

 private:
  /// 0 <= position < extent: as unsigned numbers, negative positions are the largest.
  __device__ static bool in(int64_t position, int32_t extent) {
    return static_cast<uint64_t>(position) < static_cast<uint64_t>(extent);
  }
};

/// One axis of a convolution: p = u * stride + o * dilation - origin.
struct DeviceAxis {
  int32_t kernel_size = 1, stride = 1, dilation = 1;
  int64_t origin = 0;

  DeviceAxis(const ConvGeometry& geometry, int64_t origin_of_outputs, size_t axis)
      : kernel_size(geometry.kernel_size[axis]),
        stride(geometry.stride[axis]),
        dilation(geometry.dilation[axis]),
        origin(origin_of_outputs) {}

  __device__ int64_t fine(int64_t u, int32_t o) const {
    return u * stride + int64_t{o} * dilation - origin;
  }
  /// Whether all components lead into [0, extent).
  __device__ bool interior(int64_t u, int32_t extent) const {
    return fine(u, 0) >= 0 && fine(u, kernel_size - 1) < extent;
  }
  /// The fine position that coarse `u` is joined to by component `o`, or -1.
  __device__ int64_t fine_within(int64_t u, int32_t o, int32_t extent) const {
    const int64_t p = fine(u, o);
    return p >= 0 && p < extent ? p : -1;
  }
  /// The coarse position that fine `p` is joined to by component `o`, or -1. Divisibility is tested
  /// on the signed difference, the range on the quotient.
  __device__ int64_t coarse_within(int64_t p, int32_t o, int32_t extent) const {
    const int64_t difference = p + origin - int64_t{o} * dilation;
    if (difference < 0 || difference % stride != 0) return -1;
    const int64_t u = difference / stride;
    return u < extent ? u : -1;
  }
};

struct DeviceGeometry {
  DeviceAxis x, y, z;
  int32_t kernel_volume;

  /// `origin` is that of the MadeGrid.
  DeviceGeometry(const ConvGeometry& geometry, const std::array<int64_t, 3>& origin)
      : x(geometry, origin[0], 0),
        y(geometry, origin[1], 1),
        z(geometry, origin[2], 2),
        kernel_volume(static_cast<int32_t>(geometry.kernel_volume())) {}

  __device__ int32_t component_x(int32_t o) const { return o / (y.kernel_size * z.kernel_size); }
  __device__ int32_t component_y(int32_t o) const { return o / z.kernel_size % y.kernel_size; }
  __device__ int32_t component_z(int32_t o) const { return o % z.kernel_size; }
};

}  // namespace spb::maps
