// SPDX-License-Identifier: Apache-2.0
// Key widths, capacities, and every way in which coords can be refused.
#include <limits>

#include "brute_force.h"
#include "device_fixture.h"
#include "maps/table/build_error.h"
#include "maps/table/key_width.h"

namespace spb::maps {
namespace {

using HashTableTest = DeviceTest;
using ::testing::Test;

TEST(KeyWidth, SwitchesWhereTheEmptyKeyWouldCollide) {
  EXPECT_EQ(key_width(cell_count({4, {1024, 1024, 1024}})), 64);  // exactly 2^32
  EXPECT_EQ(key_width(cell_count({3, {1024, 1024, 1024}})), 32);
  EXPECT_EQ(key_width(cell_count({1, {65537, 65535, 1}})), 32);  // 2^32 - 1
  EXPECT_EQ(key_width(cell_count({1, {0, 5, 5}})), 32);
  EXPECT_EQ(key_width(cell_count({1, {8, 8, 8}}), 64), 64);
}

TEST(RowCount, IsWhatRowIndicesHold) {
  EXPECT_NO_THROW(check_row_count("coords", (int64_t{1} << 31) - 1));
  EXPECT_EQ(
      error_of([] { check_row_count("output coords", int64_t{1} << 31); }).find("output coords"),
      0u);
}

TEST(KeyWidth, RefusesBoxesBeyond64Bits) {
  constexpr int32_t kMax = std::numeric_limits<int32_t>::max();
  EXPECT_TRUE(contains(error_of([] { cell_count({1, {kMax, kMax, kMax}}); }), "64 bits"));
  EXPECT_TRUE(contains(error_of([] {
                         cell_count({1 << 16, {1 << 16, 1 << 16, 1 << 16}});
                       }),
                       "64 bits"));  // exactly 2^64
  EXPECT_EQ(error_of([] { cell_count({(1 << 16) - 1, {1 << 16, 1 << 16, 1 << 16}}); }), "");
  EXPECT_TRUE(contains(error_of([] { cell_count({1, {-1, 4, 4}}); }), "negative"));
}

TEST(KeyWidth, RefusesAForcedWidthThatIsTooNarrow) {
  EXPECT_TRUE(contains(error_of([] { key_width(uint64_t{1} << 32, 32); }), "use 64"));
  EXPECT_TRUE(contains(error_of([] { key_width(5, 16); }), "16 bits"));
}

TEST(KeyWidth, SortsByTheBitsInUse) {
  EXPECT_EQ(used_key_bits(0), 1);
  EXPECT_EQ(used_key_bits(1), 1);
  EXPECT_EQ(used_key_bits(256), 8);
  EXPECT_EQ(used_key_bits(257), 9);
  EXPECT_EQ(used_key_bits(~uint64_t{0}), 64);
}

TEST(TableCapacity, IsThePowerOfTwoAboveTheLoad) {
  EXPECT_EQ(table_capacity(0, {}), 1);
  EXPECT_EQ(table_capacity(1, {}), 8);
  EXPECT_EQ(table_capacity(4, {}), 32);
  EXPECT_EQ(table_capacity(5, {}), 64);
  EXPECT_EQ(table_capacity(5, {.load_factor = 0.5}), 16);
  EXPECT_EQ(table_capacity(4, {.load_factor = 1}), 8);  // more slots than entries
  EXPECT_EQ(table_capacity(3, {.load_factor = 1}), 4);
  EXPECT_EQ(table_capacity(100, {.capacity = 16}), 16);
  EXPECT_EQ(table_capacity(int64_t{1} << 31, {}, 32), int64_t{1} << 32);
  EXPECT_EQ(table_capacity(int64_t{1} << 31, {}, 64), int64_t{1} << 34);
  for (const double load : {0.0, -1.0, 1.5, std::numeric_limits<double>::quiet_NaN()})
    EXPECT_TRUE(contains(error_of([&] { table_capacity(4, {.load_factor = load}); }), "load"));
  EXPECT_TRUE(contains(error_of([] { table_capacity(4, {.capacity = 12}); }), "power of two"));
}

class RefusedCoords : public DeviceTest {
 protected:
  std::string map_error(const VoxelSet& voxels, HashOptions hash = {}) {
    return error_of([&] {
      const DeviceCoords in = upload(voxels);
      const MadeCoords out = build_made_coords(in, {}, context());
      build_neighbor_map(in, out, {}, context(), hash);
    });
  }
  std::string output_error(const VoxelSet& voxels, HashOptions hash = {}) {
    return error_of([&] {
      const DeviceCoords in = upload(voxels);
      build_made_coords(in, kDown, context(), hash);
    });
  }
  static constexpr ConvGeometry kDown{ConvKind::strided, {2, 2, 2}, {2, 2, 2}, {1, 1, 1}};
};

TEST_F(RefusedCoords, OutsideTheBoxNameTheFirstRow) {
  const Coord kBad[] = {
      {0, -1, 0, 0}, {0, 8, 0, 0},  {0, 0, -1, 0},
      {0, 0, 8, 0},  {0, 0, 0, -1}, {0, 0, 0, 8},
      {-1, 0, 0, 0}, {2, 0, 0, 0},  {0, std::numeric_limits<int32_t>::max(), 0, 0}};
  for (const Coord& bad : kBad) {
    VoxelSet voxels = brute::random_voxels({2, {8, 8, 8}}, 300, 9);
    voxels.coords[41] = voxels.coords[200] = bad;
    const std::string coord = "(batch " + std::to_string(bad.batch) + ", x " +
                              std::to_string(bad.x) + ", y " + std::to_string(bad.y) + ", z " +
                              std::to_string(bad.z) + ")";
    for (const std::string& error : {map_error(voxels), output_error(voxels)})
      EXPECT_TRUE(contains(error, "row 41 " + coord)) << error;
  }
}

TEST_F(RefusedCoords, RepeatedRowsAreCountedAndTheFirstNamed) {
  VoxelSet voxels = brute::random_voxels({2, {8, 8, 8}}, 300, 10);
  voxels.coords[250] = voxels.coords[3];
  voxels.coords[99] = voxels.coords[3];
  voxels.coords[120] = voxels.coords[7];
  const std::string error = map_error(voxels);
  EXPECT_TRUE(contains(error, "3 rows repeat")) << error;
  EXPECT_TRUE(contains(error, "first row 99 ")) << error;
  EXPECT_TRUE(contains(error, "repeats row 3;")) << error;
}

TEST_F(RefusedCoords, AFullTableIsAnErrorNotAHang) {
  const VoxelSet voxels = brute::random_voxels({1, {8, 8, 8}}, 17, 11);
  for (const int key_bits : {32, 64}) {
    const HashOptions full{.capacity = 16, .key_bits = key_bits};
    EXPECT_TRUE(contains(map_error(voxels, full), "all 16 slots"));
    EXPECT_TRUE(contains(output_error(brute::random_voxels({1, {16, 16, 16}}, 300, 1), full),
                         "all 16 slots"));
  }
}

// No empty slot ends a probe: each lookup of an absent key walks the whole table once.
TEST_F(HashTableTest, ATableWithoutEmptySlotsStillAnswers) {
  const VoxelSet voxels = brute::random_voxels({1, {8, 8, 8}}, 64, 12);
  const DeviceCoords in = upload(voxels);
  const MadeCoords out = build_made_coords(in, {}, context());
  for (const int key_bits : {32, 64})
    EXPECT_EQ(
        download(build_neighbor_map(in, out, {}, context(), {.capacity = 64, .key_bits = key_bits})
                     ->rows),
        brute::neighbor_map(voxels, voxels.coords, {}));
}

// Cells at both ends of the int32 range are not neighbors.
TEST_F(HashTableTest, NothingWrapsAround) {
  constexpr int32_t kLast = std::numeric_limits<int32_t>::max() - 1;
  const VoxelSet voxels{{{0, 0, 0, 0}, {0, kLast, 0, 0}}, {1, {kLast + 1, 2, 2}}, {}};
  const DeviceCoords in = upload(voxels);
  ConvGeometry geometry;
  geometry.dilation = {kLast / 2, 1, 1};
  for (const ConvKind kind : {ConvKind::subm, ConvKind::strided}) {
    geometry.kind = kind;
    const MadeCoords out = build_made_coords(in, geometry, context());
    const LayerMaps made = build_layer_maps(in, out, geometry, {.pairs = true}, context());
    const KernelMap& map = made.pairs;
    // Submanifold: each voxel sees itself. Strided: each is read by 2 x 2 x 2 outputs; the half-way
    // ones are shared.
    EXPECT_EQ(map.n_pairs(), kind == ConvKind::subm ? 2 : 16);
    EXPECT_EQ(out.n, kind == ConvKind::subm ? 2 : 12);
  }
}

TEST_F(HashTableTest, AnInvalidGeometryIsRefused) {
  const DeviceCoords in = upload(brute::random_voxels({1, {4, 4, 4}}, 10, 1));
  ConvGeometry even;
  even.kernel_size = {2, 2, 2};
  EXPECT_TRUE(contains(error_of([&] { build_made_coords(in, even, context()); }), "even axis"));
  EXPECT_TRUE(contains(error_of([&] {
                         const MadeCoords out = build_made_coords(in, {}, context());
                         build_neighbor_map(in, out, even, context());
                       }),
                       "even axis"));
}

}  // namespace
}  // namespace spb::maps
