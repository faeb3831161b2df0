// SPDX-License-Identifier: Apache-2.0
#include "maps/device_coords.h"

#include "maps/table/build_error.h"

namespace spb::maps {

DeviceCoords upload(const VoxelSet& voxels, gpu::Allocator& allocator, const gpu::Stream& stream) {
  check_row_count("coords", voxels.size());
  DeviceCoords coords;
  coords.box = voxels.box;
  coords.rows = gpu::Buffer<Coord>(allocator, voxels.size(), gpu::Tag::plan);
  coords.rows.upload(voxels.coords, stream);
  return coords;
}

}  // namespace spb::maps
