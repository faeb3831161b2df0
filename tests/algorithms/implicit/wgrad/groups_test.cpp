#include "algorithms/implicit/wgrad/groups.h"

#include <algorithm>
#include <gtest/gtest.h>

#include "algorithms/naive.h"
#include "maps/device_coords.h"

namespace spb::plans {
namespace {

struct Groups : testing::TestWithParam<int> {};

TEST_P(Groups, HoldEachPairOnceAndTheirRowsInOrder) {
  const int slots = GetParam();
  for (const char* geometry : {"subm k3x3x3 s1x1x1 d1x1x1", "strided k2x2x2 s2x2x2 d1x1x1",
                               "subm k5x5x5 s1x1x1 d1x1x1", "subm k1x1x1 s1x1x1 d1x1x1"}) {
    SCOPED_TRACE(geometry);
    const ConvGeometry shape =
        parse_problem(std::string(geometry) + " c1:1 f32 wgrad", "test").geometry;
    const VoxelSet voxels = naive::random_voxels({2, {8, 8, 8}}, 300, 5);
    const gpu::Stream stream;
    gpu::Allocator allocator;
    const maps::BuildContext context{allocator, stream};
    const maps::DeviceCoords coords = maps::upload(voxels, allocator, stream);
    const maps::OutputCoords out = maps::build_output_coords(coords, shape, context);
    const OffsetGroups groups =
        build_offset_groups(maps::build_neighbor_map(coords, out, shape, context), slots, context);

    MapSet expected = naive::build_map(voxels, shape);
    std::vector<Triple> pairs = download_pairs(groups, stream);
    std::sort(expected.triples.begin(), expected.triples.end());
    std::sort(pairs.begin(), pairs.end());
    EXPECT_EQ(pairs, expected.triples);

    const std::vector<int32_t> rows = groups.out_index.download(stream);
    EXPECT_EQ(groups.begin.download(stream), groups.begin_host);
    ASSERT_EQ(int(groups.begin_host.size()), (shape.kernel_volume() + slots - 1) / slots + 1);
    for (size_t g = 0; g + 1 < groups.begin_host.size(); ++g) {
      std::vector<int32_t> members;
      for (const Triple& pair : expected.triples)
        if (pair.offset / slots == int(g)) members.push_back(pair.out);
      std::sort(members.begin(), members.end());
      members.erase(std::unique(members.begin(), members.end()), members.end());
      EXPECT_EQ(std::vector<int32_t>(rows.begin() + groups.begin_host[g],
                                     rows.begin() + groups.begin_host[g + 1]),
                members)
          << "group " << g;
    }
  }
}

INSTANTIATE_TEST_SUITE_P(Slots, Groups, testing::Values(1, 2, 4));

}  // namespace
}  // namespace spb::plans
