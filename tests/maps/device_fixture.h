// SPDX-License-Identifier: Apache-2.0
// A guarded allocator and a stream; every map test runs in both thread orders of the host vendor
// when the environment says so (see CMakeLists.txt).
#pragma once

#include <gtest/gtest.h>

#include "core/error.h"
#include "maps/maps.h"

namespace spb {
namespace maps {

/// Needs of a layer in one line, with one kind of lists for fprop and dgrad alike.
struct LayerNeeds {
  bool table = false, reverse_table = false, fprop_lists = false, dgrad_lists = false,
       pairs = false;
  int tile_rows = 128;
  bool tile_index = true, halos = false;
  int segments = 1;
  RowOrder order = RowOrder::gray;
  int64_t window = kWindow, gray_up_to_rows = 0;
  bool longest_first = false;

  ListNeeds lists(bool reverse) const {
    return {reverse, tile_rows, tile_index,      halos,        segments,
            order,   window,    gray_up_to_rows, longest_first};
  }
  MapNeeds needs(const ConvGeometry& geometry) const {
    const bool subm = geometry.kind == ConvKind::subm;
    MapNeeds all{.table = table, .reverse_table = reverse_table, .pairs = pairs, .lists = {}};
    if (fprop_lists || (subm && dgrad_lists)) all.lists.push_back(lists(false));
    if (!subm && dgrad_lists) all.lists.push_back(lists(true));
    return all;
  }
};

inline LayerNeeds everything(RowOrder order = RowOrder::gray) {
  LayerNeeds needs;
  needs.table = needs.reverse_table = needs.fprop_lists = needs.dgrad_lists = needs.pairs = true;
  needs.order = order;
  return needs;
}

/// Parts that were not asked for are empty.
struct LayerMaps {
  Maps owner;
  const NeighborMap& forward;
  const NeighborMap& reverse;
  const TileLists& fprop;
  const TileLists& dgrad;
  const KernelMap& pairs;
};

template <class Part>
const Part& part_or_none(const std::shared_ptr<const Part>& part) {
  static const Part none;
  return part ? *part : none;
}

inline LayerMaps build_layer_maps(const DeviceCoords& in, const MadeCoords& out,
                                  const ConvGeometry& geometry, const LayerNeeds& needs,
                                  BuildContext context, const HashOptions& hash = {}) {
  const std::shared_ptr<const MadeCoords> view(&out, [](const MadeCoords*) {});
  Maps maps = build_maps(in, view, geometry, needs.needs(geometry), context, hash);
  const auto fprop = maps.find(needs.lists(false)), dgrad = maps.find(needs.lists(true));
  return {maps,
          part_or_none(maps.forward),
          part_or_none(maps.reverse),
          part_or_none(fprop),
          part_or_none(dgrad),
          part_or_none(maps.pairs)};
}

/// The forward map alone.
inline std::shared_ptr<const NeighborMap> build_neighbor_map(const DeviceCoords& in,
                                                             const MadeCoords& out,
                                                             const ConvGeometry& geometry,
                                                             BuildContext context,
                                                             const HashOptions& hash = {}) {
  return build_layer_maps(in, out, geometry, {.table = true}, context, hash).owner.forward;
}

}  // namespace maps

class DeviceTest : public ::testing::Test {
 protected:
  void TearDown() override {
    const auto damaged = allocator_.damaged_guards(stream_);
    EXPECT_TRUE(damaged.empty()) << damaged.size() << " buffers were overrun";
    EXPECT_EQ(allocator_.counts().live_bytes, 0) << "a builder leaked";
  }
  maps::BuildContext context() { return {allocator_, stream_}; }
  maps::DeviceCoords upload(const VoxelSet& voxels) {
    return maps::upload(voxels, allocator_, stream_);
  }
  maps::LayerMaps build(const maps::DeviceCoords& in, const ConvGeometry& geometry,
                        const maps::LayerNeeds& needs) {
    const maps::MadeCoords out = maps::build_made_coords(in, geometry, context());
    return maps::build_layer_maps(in, out, geometry, needs, context());
  }
  template <class T>
  std::vector<T> download(const gpu::Buffer<T>& buffer) {
    return buffer.download(stream_);
  }
  std::vector<Coord> download(const maps::MadeCoords& out) {
    std::vector<Coord> rows(static_cast<size_t>(out.n));
    gpu::copy_to_host(rows.data(), out.rows, out.n * int64_t{sizeof(Coord)}, stream_);
    return rows;
  }

  gpu::Allocator allocator_{gpu::Guards::page()};
  gpu::Stream stream_;
};

/// The message of the Error that `action` throws; empty when it throws none.
template <class Action>
std::string error_of(Action action) {
  try {
    action();
  } catch (const Error& error) {
    return error.what();
  }
  return {};
}

inline bool contains(const std::string& text, const std::string& part) {
  return text.find(part) != std::string::npos;
}

}  // namespace spb
