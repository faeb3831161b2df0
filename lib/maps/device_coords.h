// SPDX-License-Identifier: Apache-2.0
// The input voxels in device memory: uploaded once, shared by every plan on them.
#pragma once

#include "core/coords.h"
#include "gpu/buffer.h"

namespace spb::maps {

struct DeviceCoords {
  gpu::Buffer<Coord> rows;  ///< [n]
  Box box;
  int64_t size() const { return rows.size(); }
};

DeviceCoords upload(const VoxelSet& voxels, gpu::Allocator& allocator, const gpu::Stream& stream);

}  // namespace spb::maps
