// SPDX-License-Identifier: Apache-2.0
// The maps of one relation: built when first needed, given to all who need them.
#pragma once

#include <functional>
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

  /// The same for a caller who goes on before the host knows what the device finds: where halos
  /// alone are missing it does not wait, and until settle() get() gives these as MapsAhead has
  /// them.
  void get_ahead(const MapNeeds& needs, const gpu::Stream& stream);
  /// Completes what get_ahead() left open: MapsAhead::finish(). False where it left nothing.
  bool settle();

  /// Rows of a layer's inputs and outputs.
  MapSize size(const gpu::Stream& stream);
  /// Chains so far.
  int builds() const { return builds_; }

 private:
  MapNeeds missing(const MapNeeds& needs) const;
  void keep(Maps&& built);
  void finish_open();

  Relation relation_;
  gpu::Allocator& allocator_;
  HashOptions hash_;
  Maps maps_;
  std::vector<int> sparse_;     // sizes of groups that are not worth it here
  std::function<bool()> open_;  // of MapsAhead, for the last lists from open_from_ on
  size_t open_from_ = 0;
  bool has_rounds_ = false;  // what it answered
  int builds_ = 0;
};

}  // namespace spb::maps
