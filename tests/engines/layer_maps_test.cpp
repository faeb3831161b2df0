// SPDX-License-Identifier: Apache-2.0
// The maps of a layer: what each algorithm keeps, to the byte, and what it refuses.
#include <gtest/gtest.h>

#include "algorithms/naive.h"
#include "algorithms/named.h"
#include "core/error.h"
#include "engines/native/layer_step.h"
#include "maps/lists/work_statistics.h"
#include "maps/maps.h"

namespace spb {
namespace {

class LayerMapsTest : public ::testing::Test {
 protected:
  /// Bytes that the maps of a layer keep, all directions; nothing else may stay.
  int64_t kept_bytes(const Algorithm& algorithm, const Problem& problem, const VoxelSet& voxels) {
    const maps::DeviceCoords coords = maps::upload(voxels, allocator_, stream_);
    const int64_t before = allocator_.counts().live_bytes;
    maps::MapStore store({coords, problem.geometry}, allocator_);
    store.get(engines::layer_needs(algorithm, problem, coords.view(), store, stream_), stream_);
    EXPECT_EQ(store.builds(), 1);
    EXPECT_EQ(allocator_.counts().live_by_tag[int(gpu::Tag::workspace)], 0);
    EXPECT_TRUE(allocator_.damaged_guards(stream_).empty());
    return allocator_.counts().live_bytes - before;
  }
  /// Offsets that lists along the z curve name, as they are built: other tests hold their order.
  int64_t listed_along_z(const maps::ListNeeds& lists, const Problem& problem,
                         const VoxelSet& voxels) {
    const maps::DeviceCoords coords = maps::upload(voxels, allocator_, stream_);
    maps::MapStore store({coords, problem.geometry}, allocator_);
    maps::MapNeeds needs;
    needs.lists = {lists};
    return store.get(needs, stream_).find(lists)->listed;
  }
  void TearDown() override { EXPECT_EQ(allocator_.counts().live_bytes, 0); }

  gpu::Allocator allocator_{gpu::Guards::page()};
  gpu::Stream stream_;
};

Problem problem_of(const std::string& geometry) {
  return parse_problem(geometry + " c4:4 f32 fprop", "test");
}

/// Offsets that tiles list.
int64_t listed(MapSet map, const Int3& kernel_size, const maps::ListNeeds& needs, int64_t rows) {
  if (needs.reverse) {
    map.out_coords.resize(static_cast<size_t>(rows));
    for (Triple& pair : map.triples) std::swap(pair.in, pair.out);
  }
  const maps::HostMasks masks = maps::host_masks(map, kernel_size);
  int64_t sum = 0;
  for (int s = 0; s < needs.segments; ++s) {
    const maps::HostMasks part = maps::of_segment(masks, s, needs.segments);
    sum += maps::listed_offsets(part, maps::host_order(part, maps::RowOrder::gray, 1),
                                needs.tile_rows);
  }
  return sum;
}

TEST_F(LayerMapsTest, KeepWhatPlansRead) {
  for (const char* geometry :
       {"subm k3x3x3 s1x1x1 d1x1x1", "subm k7x7x7 s1x1x1 d1x1x1", "strided k2x2x2 s2x2x2 d1x1x1"})
    for (const int64_t drawn : {0, 1, 300}) {
      SCOPED_TRACE(std::string(geometry) + ", " + std::to_string(drawn) + " voxels");
      const Problem problem = problem_of(geometry);
      const VoxelSet voxels = naive::random_voxels({1, {10, 10, 10}}, drawn, 4);
      const int64_t n = voxels.size();
      const MapSet map = naive::build_map(voxels, problem.geometry);
      const bool subm = problem.geometry.kind == ConvKind::subm;
      const int64_t kv = problem.kernel_volume();
      const auto n_out = static_cast<int64_t>(map.out_coords.size());
      const auto n_pairs = static_cast<int64_t>(map.triples.size());
      for (const Algorithm& algorithm : algorithms()) {
        const Problem layer = taken_by(algorithm, problem);
        maps::MapNeeds needs;
        const auto runs = engines::step_algorithms(algorithm, layer, {nullptr, n, voxels.box});
        const auto directions = engines::layer_problems(layer);
        for (size_t i = 0; i < runs.size(); ++i)
          needs.add(runs[i].needs_of({directions[i], n, n_out, runs[i].choice, voxels.box}));
        int64_t expected = subm ? 0 : n_out * int64_t{sizeof(Coord)};
        if (needs.table) expected += 4 * kv * n_out;
        if (needs.reverse_table) expected += 4 * kv * n;
        if (needs.pairs) expected += 8 * n_pairs + 8 * (kv + 1);
        for (const maps::ListNeeds& lists : needs.lists) {
          const int64_t rows = lists.reverse ? n : n_out;
          const int64_t entry = 4 + (lists.tile_index ? 4 * lists.tile_rows : 0);
          const int64_t tiles = (rows + lists.tile_rows - 1) / lists.tile_rows;
          expected += 4 * rows * lists.segments;
          if (lists.halos)  // each in one round, here
            expected +=
                (rows + maps::kHaloRows - 1) / maps::kHaloRows *
                (int64_t{sizeof(maps::HaloTile)} + 4 * maps::kHaloSlots + 2 * maps::kHaloRows * kv);
          else
            expected += 8 * (tiles * lists.segments + 1) +
                        entry * (lists.order == maps::RowOrder::z
                                     ? listed_along_z(lists, problem, voxels)
                                     : listed(map, problem.geometry.kernel_size, lists, rows));
          if (lists.longest_first) expected += 4 * tiles * lists.segments;
        }
        EXPECT_EQ(kept_bytes(algorithm, layer, voxels), expected) << algorithm.name;
      }
    }
}

// The same error whether an algorithm plans or builds its maps alone, and nothing left behind.
TEST_F(LayerMapsTest, RefuseWhatPlansRefuse) {
  VoxelSet repeated = naive::random_voxels({1, {8, 8, 8}}, 60, 8), outside = repeated;
  repeated.coords[50] = repeated.coords[7];
  outside.coords[31].x = 8;
  for (const char* geometry : {"subm k3x3x3 s1x1x1 d1x1x1", "strided k3x3x3 s2x2x2 d1x1x1",
                               "inverse k2x2x2 s2x2x2 d1x1x1", "generative k2x2x2 s2x2x2 d1x1x1"})
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
        Problem problem = taken_by(algorithm, problem_of(geometry));
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
