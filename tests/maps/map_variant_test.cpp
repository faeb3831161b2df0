// SPDX-License-Identifier: Apache-2.0
// Every named variant makes the same map.
#include "maps/table/map_variant.h"

#include <set>

#include "device_fixture.h"
#include "shapes.h"

namespace spb::maps {
namespace {

using MapVariants = DeviceTest;

TEST_F(MapVariants, MakeTheSameMapsOrSayWhyNot) {
  int refused = 0;
  for (const MapVariant& variant : map_variants())
    for (const auto& shape : brute::shapes()) {
      if (unsupported(variant, shape.geometry)) {
        EXPECT_STREQ(variant.name, "half");
        EXPECT_NE(shape.geometry.kind, ConvKind::subm);
        ++refused;
        continue;
      }
      const DeviceCoords in = upload(shape.voxels);
      const MadeCoords out = build_made_coords(in, shape.geometry, context(), variant.hash);
      const auto map = build_neighbor_map(in, out, shape.geometry, context(), variant.hash);
      EXPECT_EQ(download(map->rows),
                brute::neighbor_map(shape.voxels, download(out), shape.geometry))
          << variant.name << ": " << brute::text(shape);
    }
  EXPECT_GT(refused, 0);
}

TEST_F(MapVariants, DifferInTheirTables) {
  std::set<int64_t> capacities;
  for (const char* name : {"", "load25", "load50"})
    capacities.insert(table_capacity(1000, find_map_variant(name, "").hash));
  EXPECT_EQ(capacities, (std::set<int64_t>{2048, 4096, 8192}));
  EXPECT_EQ(find_map_variant("key64", "").hash.key_bits, 64);
}

TEST_F(MapVariants, HaveNames) {
  EXPECT_STREQ(find_map_variant("", "").name, "");
  for (const MapVariant& variant : map_variants())
    EXPECT_STREQ(find_map_variant(variant.name, "").name, variant.name);
  const std::string error = error_of([] { find_map_variant("load05", "--map-variant"); });
  EXPECT_TRUE(error.starts_with("--map-variant: \"load05\" is unknown; did you mean")) << error;
}

}  // namespace
}  // namespace spb::maps
