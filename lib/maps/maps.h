// SPDX-License-Identifier: Apache-2.0
// Maps between input and output voxels, built by kernels from coords (docs/algorithms.md, 3 to 5).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "maps/needs.h"
#include "maps/table/hash_options.h"

namespace spb::maps {

// Every builder waits for the device once at most, to read back statuses and lengths; the kernels
// that follow may still run when it returns. Scratch is released in stream order.
//
// Errors of the builders: Error (usage) for an invalid geometry or hash option; Error (runtime) for
// a coordinate outside the box (with its row), repeated coords (with their count and one row), a
// full table, a box beyond 64-bit keys, more than 2^31 - 1 rows.

/// Submanifold: a view of the voxels, nothing is checked, no wait. Strided and inverse: what the
/// output rule says; coords outside the box are an error, repeated ones are found with the map.
/// Generative: all that voxels reach; repeated ones are found here.
MadeCoords build_made_coords(const DeviceCoords& voxels, const ConvGeometry& geometry,
                             BuildContext context, const HashOptions& hash = {});
/// Device memory that build_made_coords() takes at once whatever the coords are, in bytes; rows
/// that it may make.
struct MadeBound {
  int64_t rows = 0, bytes = 0;
};
MadeBound made_bound(int64_t voxels, const Box& box, const ConvGeometry& geometry,
                     const HashOptions& hash = {});

/// What a layer gathers by, all directions. Parts not asked for are null; who takes a part keeps it
/// alive, no longer than the allocator. Sides are told by their grids: p is fine, u coarse. Outputs
/// are coarse, of transposed kinds fine, so that a strided layer and its inverse have the same
/// maps.
struct Maps {
  RowCoords voxels;  ///< the case's; whoever uploaded them keeps them
  std::shared_ptr<const MadeCoords> made;
  std::shared_ptr<const NeighborMap> forward;  ///< [n_coarse, kernel_volume]: entry (u, o) = p
  std::shared_ptr<const NeighborMap> reverse;  ///< [n_fine, kernel_volume]: entry (p, o) = u
  std::shared_ptr<const KernelMap> pairs;
  std::shared_ptr<const OffsetGroups> groups;  ///< null, too, where groups are sparse
  /// Submanifold dgrad reads the forward map and its lists with weight offset
  /// kernel_volume - 1 - o.
  std::vector<std::pair<ListNeeds, std::shared_ptr<const TileLists>>> lists;

  /// The lists made for these needs, or null.
  std::shared_ptr<const TileLists> find(const ListNeeds& needs) const;
};

/// The maps of one convolution, sharing work, with one wait (two where groups are made). Validates
/// the voxels. `made` is what build_made_coords() made of them.
Maps build_maps(const DeviceCoords& voxels, std::shared_ptr<const MadeCoords> made,
                const ConvGeometry& geometry, const MapNeeds& needs, BuildContext context,
                const HashOptions& hash = {});

/// Halos that kernels may read before the host knows whether the voxels are valid: so that it need
/// not stand between their build and what reads them.
struct MapsAhead {
  /// Their halos lack further rounds, which kernels of fprop and dgrad leave out where
  /// HaloLists::more is empty (those of wgrad do not), and lists their lengths: what a plan made of
  /// them says of its work is nothing. Whatever the voxels are, every row that halos name is one of
  /// the layer.
  Maps maps;
  /// To be called once: waits, and completes the same lists. Whether halos have further rounds, so
  /// that what has read them is to run again. Errors as build_maps().
  std::function<bool()> finish;
};
/// Beyond so many rows the wait is little beside what follows, and to run it again is much. Of
/// scans and rooms at any size, and of shells up to 250,000 rows, no tile has further rounds; of
/// sphere:512, a million, 3 of 4,010 have.
inline constexpr int64_t kMostRowsAhead = int64_t{1} << 18;
/// Nothing where needs are others than halos, or where rows are more. Does not wait.
std::optional<MapsAhead> build_maps_ahead(const DeviceCoords& voxels,
                                          std::shared_ptr<const MadeCoords> made,
                                          const ConvGeometry& geometry, const MapNeeds& needs,
                                          BuildContext context, const HashOptions& hash = {});

}  // namespace spb::maps
