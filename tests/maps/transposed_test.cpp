// SPDX-License-Identifier: Apache-2.0
// The maps of layers whose outputs are fine, against brute force: an inverse layer's are those of
// its partner, a generative one's are of coords that it makes.
#include "device_fixture.h"
#include "maps/download.h"
#include "shapes.h"

namespace spb::maps {
namespace {

using TransposedMapsTest = DeviceTest;

std::vector<brute::Shape> generative_shapes() {
  std::vector<brute::Shape> all;
  std::mt19937 random(11);
  const auto pick = [&](int low, int high) {
    return low + static_cast<int32_t>(random() % static_cast<uint32_t>(high - low + 1));
  };
  for (uint32_t seed = 0; seed < 120; ++seed) {
    ConvGeometry g;
    g.kind = ConvKind::generative;
    for (size_t axis = 0; axis < 3; ++axis) {
      g.kernel_size[axis] = pick(1, 5);
      g.stride[axis] = pick(1, 3);
      g.dilation[axis] = pick(1, 2);
    }
    if (seed % 2) g.output_extent = OutputExtent::complete;
    if (seed / 2 % 2) g.padding = Int3{pick(0, 2), pick(0, 2), pick(0, 2)};
    const Box box{pick(1, 2), {pick(4, 9), pick(4, 9), pick(4, 9)}};
    all.push_back({"random " + std::to_string(seed),
                   brute::random_voxels(box, seed % 10 == 0 ? 0 : pick(1, 60), seed), g});
  }
  all.push_back({"empty box", {{}, {1, {0, 0, 0}}, {}}, {ConvKind::generative}});
  // Fine keys beyond 32 bits of coarse ones within.
  all.push_back(
      {"64-bit keys",
       {{{0, 0, 0, 0}, {0, 1023, 1023, 1023}, {0, 511, 2, 1000}}, {1, {1024, 1024, 1024}}, {}},
       {ConvKind::generative, {3, 3, 3}, {2, 2, 2}, {1, 1, 1}}});
  return all;
}

TEST_F(TransposedMapsTest, GeneratedCoordsAndMapsAreThoseOfNestedLoops) {
  for (const auto& shape : generative_shapes()) {
    SCOPED_TRACE(brute::text(shape));
    MapSet expected;
    const DeviceCoords voxels = upload(shape.voxels);
    if (shape.geometry.padding) {
      try {
        made_grid(shape.voxels.box, shape.geometry);
      } catch (const Error&) {
        EXPECT_NE(error_of([&] { build_made_coords(voxels, shape.geometry, context()); }), "");
        continue;  // padding leaves no cell
      }
    }
    expected = brute::map_set(shape.voxels, shape.geometry);
    for (const int key_bits : {0, 64}) {
      const HashOptions hash{.key_bits = key_bits};
      const MadeCoords made = build_made_coords(voxels, shape.geometry, context(), hash);
      EXPECT_EQ(download(made), expected.out_coords);
      EXPECT_LE(made.n, made_bound(voxels.size(), voxels.box, shape.geometry).rows);
      const LayerMaps maps = build_layer_maps(
          voxels, made, shape.geometry,
          {.table = true, .reverse_table = true, .dgrad_lists = true, .pairs = true}, context(),
          hash);
      const auto sorted = [&](const auto& part, bool by_coarse) {
        Triples pairs = download_pairs(part, stream_);
        if (by_coarse)
          for (Triple& pair : pairs) std::swap(pair.out, pair.in);
        std::ranges::sort(pairs);
        return pairs;
      };
      ASSERT_EQ(sorted(maps.forward, true), expected.triples);
      ASSERT_EQ(sorted(maps.reverse, false), expected.triples);
      ASSERT_EQ(sorted(maps.dgrad, false), expected.triples);
      ASSERT_EQ(sorted(maps.pairs, true), expected.triples);
    }
  }
}

// The second voxel is looked up nowhere else, so that only this tells.
TEST_F(TransposedMapsTest, RepeatedVoxelsAreRefused) {
  const Box box{1, {4, 4, 4}};
  const DeviceCoords voxels = upload({{{0, 1, 1, 1}, {0, 2, 1, 1}, {0, 1, 1, 1}}, box, {}});
  for (const int key_bits : {0, 64}) {
    const std::string error = error_of([&] {
      build_made_coords(voxels, {ConvKind::generative, {2, 2, 2}, {2, 2, 2}}, context(),
                        {.key_bits = key_bits});
    });
    EXPECT_NE(error.find("1 rows repeat an earlier one, first row 2"), std::string::npos) << error;
  }
  const DeviceCoords outside = upload({{{0, 1, 4, 1}}, box, {}});
  EXPECT_NE(error_of([&] {
              build_made_coords(outside, {ConvKind::generative}, context());
            }).find("outside the box"),
            std::string::npos);
}

TEST_F(TransposedMapsTest, AnInverseLayerHasItsPartnersMaps) {
  for (const auto& shape : brute::shapes()) {
    if (shape.geometry.kind != ConvKind::strided || shape.geometry.stride == Int3{1, 1, 1})
      continue;
    ConvGeometry inverse = shape.geometry;
    inverse.kind = ConvKind::inverse;
    SCOPED_TRACE(to_text(inverse));
    const DeviceCoords voxels = upload(shape.voxels);
    const LayerNeeds needs{.table = true, .reverse_table = true};
    const MadeCoords of_partner = build_made_coords(voxels, shape.geometry, context()),
                     own = build_made_coords(voxels, inverse, context());
    ASSERT_EQ(download(own), download(of_partner));
    const LayerMaps there = build_layer_maps(voxels, of_partner, shape.geometry, needs, context()),
                    back = build_layer_maps(voxels, own, inverse, needs, context());
    ASSERT_EQ(download(back.forward.rows), download(there.forward.rows));
    ASSERT_EQ(download(back.reverse.rows), download(there.reverse.rows));
  }
}

}  // namespace
}  // namespace spb::maps
