// SPDX-License-Identifier: Apache-2.0
#include <gtest/gtest.h>

#include "verify/simulated_device.h"

namespace spb {
namespace {

const test::Setup& setup() {
  static const test::Setup kSetup = test::make_setup(Dtype::f32, Direction::fprop, 1, 1, 3, 5);
  return kSetup;
}

TEST(CompareMaps, AcceptsAnyOrderOfRowsAndTriples) {
  std::mt19937_64 random(1);
  const ConvGeometry strided{ConvKind::strided, {3, 3, 3}, {2, 2, 2}, {1, 1, 1}};
  const MapSet expected = reference::build_map(setup().voxels, strided);
  std::vector<int32_t> new_row(expected.out_coords.size());
  for (size_t i = 0; i < new_row.size(); ++i) new_row[i] = static_cast<int32_t>(i);
  std::ranges::shuffle(new_row, random);
  MapSet got = expected;
  for (size_t i = 0; i < new_row.size(); ++i)
    got.out_coords[static_cast<size_t>(new_row[i])] = expected.out_coords[i];
  for (Triple& t : got.triples) t.out = new_row[static_cast<size_t>(t.out)];
  std::ranges::shuffle(got.triples, random);
  EXPECT_TRUE(verify::compare_maps(expected, got, false, setup().voxels.coords).ok());
  EXPECT_GT(verify::compare_maps(expected, got, true, setup().voxels.coords).bad_coords, 0);
}

TEST(CompareMaps, LooksAtTriplesWhoseHashIsAnother) {
  const MapSet& expected = setup().map;
  const verify::MultisetHash hash = verify::multiset_hash(expected.triples);
  MapSet got = expected;
  std::ranges::reverse(got.triples);
  EXPECT_EQ(hash, verify::multiset_hash(got.triples));
  EXPECT_TRUE(verify::compare_maps(expected, hash, got, true, setup().voxels.coords).ok());
  EXPECT_TRUE(verify::compare_maps(expected, {}, got, true, setup().voxels.coords).ok());
  got.triples[5] = got.triples[6];
  EXPECT_NE(hash, verify::multiset_hash(got.triples));
  const auto result = verify::compare_maps(expected, hash, got, true, setup().voxels.coords);
  EXPECT_EQ(result.missing, 1);
  EXPECT_EQ(result.repeated, 1);
  // What it is told is not found out again.
  const verify::MultisetHash wrong = verify::multiset_hash(got.triples);
  EXPECT_TRUE(verify::compare_maps(expected, wrong, got, true, setup().voxels.coords).ok());
}

TEST(CompareMaps, CountsMissingExtraAndRepeated) {
  const MapSet& expected = setup().map;
  const int64_t n = setup().n_in();
  MapSet got = expected;
  const Triple removed = got.triples[10];
  got.triples.erase(got.triples.begin() + 10);
  got.triples.push_back(got.triples[3]);
  got.triples.push_back({removed.offset, removed.out, removed.in == 0 ? 1 : removed.in - 1});
  got.triples.push_back({0, 0, static_cast<int32_t>(n)});
  got.triples.push_back({27, 0, 0});
  got.triples.push_back({0, -1, 0});
  const auto result = verify::compare_maps(expected, got, true, setup().voxels.coords);
  EXPECT_EQ(result.missing, 1);
  EXPECT_EQ(result.repeated, 1);
  EXPECT_EQ(result.extra, 4);
  EXPECT_EQ(result.bad_coords, 0);
  EXPECT_EQ(result.examples.size(), 6u);
  EXPECT_FALSE(result.ok());
}

TEST(CompareMaps, FindsWrongOutputVoxels) {
  const ConvGeometry strided{ConvKind::strided, {2, 2, 2}, {2, 2, 2}, {1, 1, 1}};
  const MapSet expected = reference::build_map(setup().voxels, strided);
  MapSet got = expected;
  got.out_coords[1].x += 100;
  EXPECT_EQ(verify::compare_maps(expected, got, false, setup().voxels.coords).bad_coords, 2);
  got = expected;
  got.out_coords.push_back(got.out_coords[0]);
  EXPECT_EQ(verify::compare_maps(expected, got, false, setup().voxels.coords).bad_coords, 1);
}

TEST(CompareMaps, FindsTheLastOfManyRows) {
  MapSet expected;
  for (int32_t i = 0; i < 600'000; ++i) expected.out_coords.push_back({0, i, 0, 0});
  MapSet got = expected;
  EXPECT_TRUE(verify::compare_maps(expected, got, true, {}).ok());
  got.out_coords.back().z = 1;
  EXPECT_EQ(verify::compare_maps(expected, got, true, {}).bad_coords, 1);
  got.out_coords.pop_back();
  EXPECT_EQ(verify::compare_maps(expected, got, true, {}).bad_coords, 1);
}

TEST(CompareMaps, ListsTenExamplesOfEach) {
  MapSet got = setup().map;
  got.triples.clear();
  const auto result = verify::compare_maps(setup().map, got, true, setup().voxels.coords);
  EXPECT_EQ(result.missing, static_cast<int64_t>(setup().map.triples.size()));
  EXPECT_EQ(result.examples.size(), 10u);
}

}  // namespace
}  // namespace spb
