// A guarded allocator and a stream; every map test runs in both thread orders of the host vendor
// when the environment says so (see CMakeLists.txt).
#pragma once

#include <gtest/gtest.h>

#include "core/error.h"
#include "maps/maps.h"

namespace spb {

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
  maps::TrainingMaps build(const maps::DeviceCoords& in, const ConvGeometry& geometry,
                           const maps::MapNeeds& needs) {
    const maps::OutputCoords out = maps::build_output_coords(in, geometry, context());
    return maps::build_training_maps(in, out, geometry, needs, context());
  }
  template <class T>
  std::vector<T> download(const gpu::Buffer<T>& buffer) {
    return buffer.download(stream_);
  }
  std::vector<Coord> download(const maps::OutputCoords& out) {
    std::vector<Coord> rows(static_cast<size_t>(out.n));
    gpu::copy_to_host(rows.data(), out.rows, out.n * int64_t{sizeof(Coord)}, stream_);
    return rows;
  }

  gpu::Allocator allocator_{true};
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

}  // namespace spb
