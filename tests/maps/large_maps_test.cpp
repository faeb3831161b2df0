// SPDX-License-Identifier: Apache-2.0
// More than 2^31 map entries and pairs: a cube whose maps are known by arithmetic.
#include <cstdlib>

#include "device_fixture.h"
#include "gpu/device_info.h"

namespace spb::maps {
namespace {

constexpr int32_t kEdge =
    280;  // 22.0M voxels; 2.74e9 entries of a 5^3 kernel, 2.68e9 of them pairs
constexpr int64_t kVoxels = int64_t{kEdge} * kEdge * kEdge;
constexpr int kVolume = 125;
constexpr int64_t kNeededBytes = int64_t{70} << 30;

Int3 displacement(int o) { return {o / 25 - 2, o / 5 % 5 - 2, o % 5 - 2}; }

int64_t pairs_of(int o) {
  int64_t pairs = 1;
  for (const int32_t d : displacement(o)) pairs *= kEdge - std::abs(d);
  return pairs;
}

/// The row of a row's neighbor, or -1.
int32_t neighbor(int64_t row, int o) {
  int64_t position[3] = {row / kEdge / kEdge, row / kEdge % kEdge, row % kEdge};
  for (size_t axis = 0; axis < 3; ++axis) {
    position[axis] += displacement(o)[axis];
    if (position[axis] < 0 || position[axis] >= kEdge) return -1;
  }
  return static_cast<int32_t>((position[0] * kEdge + position[1]) * kEdge + position[2]);
}

class LargeMapsTest : public ::testing::Test {
 protected:
  template <class T>
  std::vector<T> part(const gpu::Buffer<T>& buffer, int64_t first, int64_t count) {
    std::vector<T> values(static_cast<size_t>(count));
    gpu::copy_to_host(values.data(), buffer.data() + first, count * int64_t{sizeof(T)}, stream_);
    return values;
  }
  gpu::Allocator allocator_;
  gpu::Stream stream_;
};

TEST_F(LargeMapsTest, IndicesBeyond31BitsAreRight) {
  if (gpu::on_host() || gpu::free_memory_bytes() < kNeededBytes)
    GTEST_SKIP() << "needs a device with " << (kNeededBytes >> 30) << " GiB of free memory";
  VoxelSet voxels{{}, {1, {kEdge, kEdge, kEdge}}, {}};
  for (int32_t x = 0; x < kEdge; ++x)
    for (int32_t y = 0; y < kEdge; ++y)
      for (int32_t z = 0; z < kEdge; ++z) voxels.coords.push_back({0, x, y, z});
  const BuildContext context{allocator_, stream_};
  const DeviceCoords in = upload(voxels, allocator_, stream_);
  ConvGeometry geometry;
  geometry.kernel_size = {5, 5, 5};
  const MadeCoords out = build_made_coords(in, geometry, context);
  const LayerMaps maps = build_layer_maps(
      in, out, geometry, {.table = true, .fprop_lists = true, .pairs = true}, context);

  ASSERT_GT(maps.forward.rows.size(), int64_t{1} << 31);
  for (const int64_t row : {int64_t{0}, kVoxels / 2, kVoxels - 1})
    for (int o = 0; const int32_t entry : part(maps.forward.rows, row * kVolume, kVolume))
      ASSERT_EQ(entry, neighbor(row, o++)) << "row " << row;

  int64_t begin = 0;
  for (int o = 0; o < kVolume; ++o) {
    ASSERT_EQ(maps.pairs.offset_begin_host[size_t(o)], begin);
    begin += pairs_of(o);
    for (const int64_t pair : {begin - pairs_of(o), begin - 1}) {
      const int32_t row = part(maps.pairs.coarse_index, pair, 1)[0];
      ASSERT_EQ(part(maps.pairs.fine_index, pair, 1)[0], neighbor(row, o));
      ASSERT_GE(neighbor(row, o), 0);
    }
  }
  ASSERT_EQ(maps.pairs.n_pairs(), begin);
  ASSERT_GT(begin, int64_t{1} << 31);

  const TileLists& lists = maps.fprop;
  ASSERT_GT(lists.tile_index.size(), int64_t{1} << 31);
  const auto order = part(lists.order, 0, kVoxels);
  const auto seg = part(lists.valid_kernel_seg, 0, lists.tiles + 1);
  ASSERT_EQ(seg.back(), lists.listed);
  for (const int64_t tile : {int64_t{0}, lists.tiles / 2, lists.tiles - 1}) {
    const int64_t first = seg[size_t(tile)], count = seg[size_t(tile) + 1] - first;
    const auto offsets = part(lists.valid_kernel, first, count);
    const auto entries = part(lists.tile_index, first * 128, count * 128);
    for (int64_t i = 0; i < count * 128; ++i) {
      const int64_t position = tile * 128 + i % 128;
      const int32_t expected =
          position < kVoxels ? neighbor(order[size_t(position)], offsets[size_t(i / 128)]) : -1;
      ASSERT_EQ(entries[size_t(i)], expected) << "tile " << tile;
    }
  }
}

}  // namespace
}  // namespace spb::maps
