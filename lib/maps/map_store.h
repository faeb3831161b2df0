// SPDX-License-Identifier: Apache-2.0
// The maps of one relation: built when first needed, given to all who need them.
#pragma once

#include <memory>
#include <vector>

#include "core/tensors.h"
#include "maps/maps.h"

namespace spb::maps {

/// The case's voxels and a layer on them. Layers and directions of equal relations share maps; so
/// do a strided layer and its inverse.
struct Relation {
  const DeviceCoords& voxels;
  ConvGeometry geometry;
};

/// Builds each part of a relation's maps once. Destroyed before its allocator; the parts live as
/// long as anybody holds them.
class MapStore {
 public:
  MapStore(const Relation& relation, gpu::Allocator& allocator, const HashOptions& hash = {});

  const DeviceCoords& voxels() const { return relation_.voxels; }
  /// The coords that the layer makes: by the first call, which waits unless they are the voxels.
  const std::shared_ptr<const MadeCoords>& made(const gpu::Stream& stream);
  /// At least what is needed. What is not there yet is built in one chain. Errors as the builders.
  const Maps& get(const MapNeeds& needs, const gpu::Stream& stream);

  /// Rows of a layer's inputs and outputs.
  MapSize size(const gpu::Stream& stream);
  /// Chains so far.
  int builds() const { return builds_; }

 private:
  MapNeeds missing(const MapNeeds& needs) const;

  Relation relation_;
  gpu::Allocator& allocator_;
  HashOptions hash_;
  Maps maps_;
  std::vector<int> sparse_;  // sizes of groups that are not worth it here
  int builds_ = 0;
};

}  // namespace spb::maps
