#include "kernels/wgrad/groups.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "algorithms/naive.h"
#include "kernels/wgrad/row_jumps.h"
#include "maps/device_coords.h"

namespace spb::plans {
namespace {

OffsetGroups groups_of(const VoxelSet& voxels, int slots, maps::BuildContext context) {
  const ConvGeometry shape =
      parse_problem("subm k3x3x3 s1x1x1 d1x1x1 c1:1 f32 wgrad", "test").geometry;
  const maps::DeviceCoords coords = maps::upload(voxels, context.allocator, context.stream);
  const maps::OutputCoords out = maps::build_output_coords(coords, shape, context);
  return build_offset_groups(maps::build_neighbor_map(coords, out, shape, context), slots, context);
}

struct Groups : testing::TestWithParam<int> {
  void expect_groups(const char* geometry, const VoxelSet& voxels) const;
};

void Groups::expect_groups(const char* geometry, const VoxelSet& voxels) const {
  SCOPED_TRACE(geometry);
  const int slots = GetParam();
  const ConvGeometry shape =
      parse_problem(std::string(geometry) + " c1:1 f32 wgrad", "test").geometry;
  const gpu::Stream stream;
  gpu::Allocator allocator;
  const maps::BuildContext context{allocator, stream};
  const maps::DeviceCoords coords = maps::upload(voxels, allocator, stream);
  const maps::OutputCoords out = maps::build_output_coords(coords, shape, context);
  const maps::NeighborMap map = maps::build_neighbor_map(coords, out, shape, context);
  const OffsetGroups groups = build_offset_groups(map, slots, context);

  MapSet expected = naive::build_map(voxels, shape);
  std::vector<Triple> pairs = download_pairs(groups, stream);
  std::ranges::sort(expected.triples);
  std::ranges::sort(pairs);
  EXPECT_EQ(pairs, expected.triples);

  const std::vector<int32_t> rows = groups.out_index.download(stream);
  EXPECT_EQ(groups.begin.download(stream), groups.begin_host);
  ASSERT_EQ(int(groups.begin_host.size()), (shape.kernel_volume() + slots - 1) / slots + 1);
  const RowJumps jumps(map.n_out);
  for (size_t g = 0; g + 1 < groups.begin_host.size(); ++g) {
    std::vector<bool> has(static_cast<size_t>(map.n_out));
    for (const Triple& pair : expected.triples)
      if (pair.offset / slots == int(g)) has[static_cast<size_t>(pair.out)] = true;
    std::vector<int32_t> members;
    for (int64_t position = 0; position < map.n_out; ++position)
      if (const int64_t row = jumps.row(position); has[static_cast<size_t>(row)])
        members.push_back(static_cast<int32_t>(row));
    EXPECT_EQ(std::vector<int32_t>(rows.begin() + groups.begin_host[g],
                                   rows.begin() + groups.begin_host[g + 1]),
              members)
        << "group " << g;
  }
}

TEST_P(Groups, HoldEachPairOnceAndTheirRowsInOrder) {
  const VoxelSet voxels = naive::random_voxels({2, {8, 8, 8}}, 300, 5);
  for (const char* geometry : {"subm k3x3x3 s1x1x1 d1x1x1", "strided k2x2x2 s2x2x2 d1x1x1",
                               "subm k5x5x5 s1x1x1 d1x1x1", "subm k1x1x1 s1x1x1 d1x1x1"})
    expect_groups(geometry, voxels);
}

TEST_P(Groups, TakeTheWindowsOfManyRowsInJumps) {
  expect_groups("subm k3x3x3 s1x1x1 d1x1x1",
                naive::random_voxels({1, {30, 30, 30}}, 3 * RowJumps::kWindow + 100, 5));
}

TEST_P(Groups, AreSparseWhereFewRowsHaveAnOffset) {
  const gpu::Stream stream;
  gpu::Allocator allocator;
  const maps::BuildContext context{allocator, stream};
  // A voxel has any offset with a chance of about 0.2, 0.6 or 0.9.
  for (const int64_t draws : {1000, 4000, 20000}) {
    const VoxelSet voxels = naive::random_voxels({1, {16, 16, 16}}, draws, 5);
    EXPECT_EQ(are_sparse(groups_of(voxels, GetParam(), context), voxels.size()), draws == 1000)
        << draws;
  }
}

INSTANTIATE_TEST_SUITE_P(Slots, Groups, testing::Values(1, 2, 4));

}  // namespace
}  // namespace spb::plans
