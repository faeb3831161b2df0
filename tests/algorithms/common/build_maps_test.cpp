// The maps of a training step: what each algorithm keeps, to the byte, and what it refuses.
#include <gtest/gtest.h>

#include "algorithms/device_run.h"
#include "algorithms/naive.h"
#include "core/error.h"
#include "maps/lists/work_statistics.h"
#include "maps/maps.h"

namespace spb {
namespace {

class BuildMapsTest : public ::testing::Test {
 protected:
  /// Bytes that the maps of an algorithm keep; nothing else may stay.
  int64_t kept_bytes(const Algorithm& algorithm, const Problem& problem, const VoxelSet& voxels) {
    const maps::DeviceCoords coords = maps::upload(voxels, allocator_, stream_);
    const int64_t before = allocator_.counts().live_bytes;
    const auto hold = algorithm.build_maps(problem, coords, allocator_, stream_);
    EXPECT_EQ(allocator_.counts().live_by_tag[int(gpu::Tag::workspace)], 0);
    EXPECT_TRUE(allocator_.damaged_guards(stream_).empty());
    return allocator_.counts().live_bytes - before;
  }
  void TearDown() override { EXPECT_EQ(allocator_.counts().live_bytes, 0); }

  gpu::Allocator allocator_{true};
  gpu::Stream stream_;
};

Problem problem_of(const std::string& geometry) {
  return parse_problem(geometry + " c4:4 f32 fprop", "test");
}

/// Offsets that tiles of 128 rows list in gray order.
int64_t listed(MapSet map, const Int3& kernel_size, bool by_input, int64_t rows) {
  if (by_input) {
    map.out_coords.resize(static_cast<size_t>(rows));
    for (Triple& pair : map.triples) std::swap(pair.in, pair.out);
  }
  const maps::HostMasks masks = maps::host_masks(map, kernel_size);
  return maps::listed_offsets(masks, maps::host_order(masks, maps::RowOrder::gray, 1), 128);
}

TEST_F(BuildMapsTest, KeepWhatTheAlgorithmReads) {
  for (const char* geometry :
       {"subm k3x3x3 s1x1x1 d1x1x1", "subm k7x7x7 s1x1x1 d1x1x1", "strided k2x2x2 s2x2x2 d1x1x1"})
    for (const int64_t drawn : {0, 1, 300}) {
      SCOPED_TRACE(std::string(geometry) + ", " + std::to_string(drawn) + " voxels");
      const Problem problem = problem_of(geometry);
      const VoxelSet voxels = naive::random_voxels({1, {10, 10, 10}}, drawn, 4);
      const int64_t n = voxels.size();
      const MapSet map = naive::build_map(voxels, problem.geometry);
      const bool subm = problem.geometry.kind == ConvKind::subm;
      const int kv = problem.kernel_volume();
      const auto n_out = static_cast<int64_t>(map.out_coords.size());
      const auto n_pairs = static_cast<int64_t>(map.triples.size());
      const int64_t own_coords = subm ? 0 : n_out * int64_t{sizeof(Coord)};
      const int64_t tables = 4 * kv * (subm ? n : n_out + n);
      const int64_t pairs = 8 * n_pairs + 8 * (kv + 1);
      const auto lists = [&](bool by_input) {
        const int64_t rows = by_input ? n : n_out;
        const int64_t l = listed(map, problem.geometry.kernel_size, by_input, rows);
        return 4 * rows + (4 + 4 * 128) * l + 8 * ((rows + 127) / 128 + 1);
      };
      const int64_t all_lists = lists(false) + (subm ? 0 : lists(true));
      for (const Algorithm& algorithm : algorithms()) {
        const std::string name = algorithm.name;
        const int64_t expected = name == "gather_scatter"     ? pairs
                                 : name.starts_with("masked") ? all_lists + pairs
                                                              : tables;
        EXPECT_EQ(kept_bytes(algorithm, problem, voxels), own_coords + expected) << name;
      }
    }
}

// The same error whether an algorithm plans or builds its maps alone, and nothing left behind.
TEST_F(BuildMapsTest, RefuseWhatPlansRefuse) {
  VoxelSet repeated = naive::random_voxels({1, {8, 8, 8}}, 60, 8), outside = repeated;
  repeated.coords[50] = repeated.coords[7];
  outside.coords[31].x = 8;
  for (const char* geometry : {"subm k3x3x3 s1x1x1 d1x1x1", "strided k3x3x3 s2x2x2 d1x1x1"})
    for (const Algorithm& algorithm : algorithms())
      for (const auto& [voxels, part] :
           {std::pair(&repeated, "first row 50 "), {&outside, "row 31 "}}) {
        SCOPED_TRACE(std::string(algorithm.name) + " " + geometry);
        const auto expect_refusal = [&, part = part](const auto& build) {
          try {
            build();
            FAIL() << "accepted";
          } catch (const Error& error) {
            EXPECT_NE(std::string(error.what()).find(part), std::string::npos) << error.what();
          }
        };
        Problem problem = problem_of(geometry);
        expect_refusal([&, v = voxels] { kept_bytes(algorithm, problem, *v); });
        for (const Direction direction : {Direction::fprop, Direction::dgrad, Direction::wgrad}) {
          problem.direction = direction;
          expect_refusal([&, v = voxels] {
            const maps::DeviceCoords coords = maps::upload(*v, allocator_, stream_);
            algorithm.plan(problem, coords, allocator_, stream_);
          });
        }
        EXPECT_EQ(allocator_.counts().live_bytes, 0);
      }
}

}  // namespace
}  // namespace spb
