// SPDX-License-Identifier: Apache-2.0
// The maps of one relation: built when first needed, given to all who need them.
#pragma once

#include <memory>
#include <vector>

#include "maps/maps.h"

namespace spb::maps {

/// Input voxels and the convolution that leads from them to its output voxels. Layers and
/// directions of equal relations share maps.
struct Relation {
  const DeviceCoords& in;
  ConvGeometry geometry;
};

/// Builds each part of a relation's maps once. Destroyed before its allocator; the parts live as
/// long as anybody holds them.
class MapStore {
 public:
  MapStore(const Relation& relation, gpu::Allocator& allocator, const HashOptions& hash = {});

  /// The coords of the outputs. A strided relation's are built by the first call, which waits.
  const std::shared_ptr<const MadeCoords>& made(const gpu::Stream& stream);
  /// At least what is needed. What is not there yet is built in one chain. Errors as the builders.
  const Maps& get(const MapNeeds& needs, const gpu::Stream& stream);

  int64_t n_in() const { return relation_.in.size(); }
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
