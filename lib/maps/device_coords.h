// SPDX-License-Identifier: Apache-2.0
// The case's voxels in device memory: uploaded once, shared by every plan on them.
#pragma once

#include "core/coords.h"
#include "gpu/buffer.h"

namespace spb::maps {

/// A view of the voxels of rows.
struct RowCoords {
  const Coord* rows = nullptr;  ///< [n]
  int64_t n = 0;
  Box box;
};

struct DeviceCoords {
  gpu::Buffer<Coord> rows;  ///< [n]
  Box box;
  int64_t size() const { return rows.size(); }
  RowCoords view() const { return {rows.data(), rows.size(), box}; }
};

DeviceCoords upload(const VoxelSet& voxels, gpu::Allocator& allocator, const gpu::Stream& stream);

}  // namespace spb::maps
