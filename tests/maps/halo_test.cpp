// SPDX-License-Identifier: Apache-2.0
// Halos as a kernel would read them: through headers, rounds, slots and local indices to the rows
// of the map, in an order along the z curve.
#include <array>
#include <bit>
#include <numeric>
#include <span>

#include "device_fixture.h"
#include "maps/halo/halo_parts.h"
#include "shapes.h"

namespace spb::maps {
namespace {

std::vector<int32_t> reversed(const std::vector<int32_t>& map, size_t rows, size_t volume) {
  std::vector<int32_t> reverse(rows * volume, -1);
  for (size_t i = 0; i < map.size(); ++i)
    if (map[i] >= 0)
      reverse[size_t(map[i]) * volume + i % volume] = static_cast<int32_t>(i / volume);
  return reverse;
}

/// Rows along the z curve, batch by batch, x the highest of three bits.
std::vector<int32_t> rows_along_z(const std::vector<Coord>& coords) {
  const auto place = [&](int32_t row) {
    const Coord& c = coords[size_t(row)];
    uint64_t key = 0;
    for (int bit = 20; bit >= 0; --bit)
      for (const int32_t axis : {c.x, c.y, c.z}) key = key << 1 | (uint64_t(axis) >> bit & 1);
    return std::pair(c.batch, key);
  };
  std::vector<int32_t> rows(coords.size());
  std::iota(rows.begin(), rows.end(), 0);
  std::ranges::stable_sort(rows, {}, place);
  return rows;
}

/// Downloaded halos and what they stand for.
struct Halos {
  std::vector<int32_t> order, map;
  std::vector<HaloTile> tiles;
  std::vector<uint32_t> slots, more;
  std::vector<uint16_t> local;
  size_t volume = 0;
  int rounds = 0;  ///< of the tile with most

  size_t rows() const { return order.size(); }
  int32_t row(size_t tile, size_t position) const {
    const size_t at = tile * kHaloRows + position;
    return at < rows() ? order[at] : -1;
  }
  int32_t neighbor(int32_t row, size_t offset) const {
    return row < 0 ? -1 : map[size_t(row) * volume + offset];
  }
  uint32_t mask(size_t tile, size_t group) const {
    uint32_t mask = 0;
    for (size_t i = 0; i < kHaloGroupRows; ++i)
      for (size_t o = 0; o < volume; ++o)
        mask |= uint32_t{neighbor(row(tile, group * kHaloGroupRows + i), o) >= 0} << o;
    return mask;
  }

  /// Of a round that takes the offsets [begin, end) and has these slots.
  void expect_round(size_t tile, std::span<const uint32_t> of_round, int begin, int end) const {
    ASSERT_LE(of_round.size(), size_t{kHaloSlots});
    ASSERT_EQ(of_round.size() % 4, 0u);
    EXPECT_EQ(of_round[0], HaloLists::kNoRow);
    EXPECT_EQ(of_round[1], HaloLists::kNoRow);
    std::set<uint32_t> once;
    for (const uint32_t slot : of_round) {
      if (slot == HaloLists::kNoRow) continue;
      EXPECT_TRUE(once.insert(slot >> 2).second);
    }
    auto entry = static_cast<size_t>(tiles[tile].local_begin);
    for (size_t group = 0; group < kHaloGroups; ++group)
      for (size_t o = 0; o < volume; ++o) {
        if (!(tiles[tile].masks[group] >> o & 1)) continue;
        const uint16_t* locals = &local[entry++ * kHaloGroupRows];
        if (static_cast<int>(o) < begin || static_cast<int>(o) >= end) continue;
        for (size_t i = 0; i < kHaloGroupRows; ++i) {
          const int32_t expected = neighbor(row(tile, group * kHaloGroupRows + i), o);
          const size_t slot = locals[i] / kHaloChunks;
          if (expected < 0) {
            ASSERT_LT(slot, 2u);
          } else {
            ASSERT_LT(slot, of_round.size());
            ASSERT_EQ(of_round[slot],
                      static_cast<uint32_t>(expected) << 2 | locals[i] % kHaloChunks);
          }
        }
      }
  }
  void expect_tile(size_t tile) {
    const HaloTile& header = tiles[tile];
    for (size_t group = 0; group < kHaloGroups; ++group)
      ASSERT_EQ(header.masks[group], mask(tile, group));
    auto count = static_cast<size_t>(header.slot_count);
    const auto first = static_cast<size_t>(header.slots_begin);
    ASSERT_LE(first + count, slots.size());
    ASSERT_LE(first + kHaloSlots, slots.size());
    for (size_t slot = count; slot < kHaloSlots; ++slot)
      ASSERT_EQ(slots[first + slot], HaloLists::kNoRow) << slot;
    expect_round(tile, std::span(slots).subspan(first, count), 0, header.offset_end);
    auto at = static_cast<size_t>(header.more_begin);
    int begin = 0, end = header.offset_end, round = 1;
    for (; end < static_cast<int>(volume); ++round) {
      begin = end;
      ASSERT_LT(at + 1, more.size());
      count = more[at];
      end = static_cast<int>(more[at + 1]);
      at += 4;
      ASSERT_LT(begin, end);
      ASSERT_LE(at + count, more.size());
      expect_round(tile, std::span(more).subspan(at, count), begin, end);
      at += count;
    }
    rounds = std::max(rounds, round);
  }
};

class HaloTest : public DeviceTest {
 protected:
  Halos download_halos(const TileLists& lists, std::vector<int32_t> map, int volume) {
    return {download(lists.order),       std::move(map),
            download(lists.halos.tiles), download(lists.halos.slots),
            download(lists.halos.more),  download(lists.halos.local),
            static_cast<size_t>(volume)};
  }
  static void expect_all(Halos& halos) {
    ASSERT_EQ(halos.tiles.size(), (halos.rows() + kHaloRows - 1) / kHaloRows);
    for (size_t tile = 0; tile < halos.tiles.size(); ++tile) {
      halos.expect_tile(tile);
      if (HasFailure()) return;
    }
  }
  /// The rows of each group are those that the keys put there, in any order.
  static void expect_order(const Halos& halos, const std::vector<Coord>& coords, Int3 kernel) {
    const auto masks = brute::masks(halos.map, static_cast<int>(halos.volume));
    std::vector<int32_t> along = rows_along_z(coords);
    for (size_t begin = 0; begin < along.size(); begin += kHaloRows) {
      const auto from = along.begin() + std::ptrdiff_t(begin);
      const auto to = along.begin() + std::ptrdiff_t(std::min(along.size(), begin + kHaloRows));
      std::stable_sort(from, to, [&](int32_t a, int32_t b) {
        const auto rank = [&](int32_t row) {
          auto bits =
              brute::rank(masks[size_t(row)], true, kernel, 0, static_cast<int>(halos.volume));
          bits.resize(std::min<size_t>(bits.size(), 24));
          return bits;
        };
        return rank(a) < rank(b);
      });
    }
    ASSERT_EQ(along.size(), halos.rows());
    for (size_t begin = 0; begin < along.size(); begin += kHaloGroupRows) {
      const size_t end = std::min(along.size(), begin + kHaloGroupRows);
      const auto set = [&](const std::vector<int32_t>& rows) {
        return std::set(rows.begin() + std::ptrdiff_t(begin), rows.begin() + std::ptrdiff_t(end));
      };
      ASSERT_EQ(set(halos.order), set(along));
    }
  }
  /// Offsets of groups are counted, and stand in headers alone.
  void expect_listed(const TileLists& lists, const Halos& halos) {
    int64_t listed = 0;
    for (const HaloTile& tile : halos.tiles)
      for (const uint32_t mask : tile.masks) listed += std::popcount(mask);
    EXPECT_EQ(lists.listed, listed);
    EXPECT_EQ(lists.valid_kernel.size() + lists.valid_kernel_seg.size(), 0);
  }
  /// Rounds of the tile with most.
  int expect_halos(const VoxelSet& voxels, const ConvGeometry& geometry) {
    const DeviceCoords in = upload(voxels);
    const LayerMaps maps = build(in, geometry,
                                 {.fprop_lists = true,
                                  .dgrad_lists = true,
                                  .tile_rows = kHaloGroupRows,
                                  .tile_index = false,
                                  .halos = true,
                                  .order = RowOrder::z});
    const auto out = brute::output_coords(voxels, geometry);
    const auto map = brute::neighbor_map(voxels, out, geometry);
    const int volume = geometry.kernel_volume();
    Halos fprop = download_halos(maps.fprop, map, volume);
    expect_all(fprop);
    expect_listed(maps.fprop, fprop);
    expect_order(fprop, out, geometry.kernel_size);
    if (geometry.kind == ConvKind::subm || HasFailure()) return fprop.rounds;
    Halos dgrad = download_halos(
        maps.dgrad, reversed(map, voxels.coords.size(), static_cast<size_t>(volume)), volume);
    expect_all(dgrad);
    expect_listed(maps.dgrad, dgrad);
    expect_order(dgrad, voxels.coords, geometry.kernel_size);
    return std::max(fprop.rounds, dgrad.rounds);
  }
};

TEST_F(HaloTest, LeadToTheRowsOfTheMap) {
  for (const auto& shape : brute::shapes()) {
    if (shape.geometry.kernel_volume() > kMostHaloOffsets) continue;
    SCOPED_TRACE(brute::text(shape));
    expect_halos(shape.voxels, shape.geometry);
    if (HasFailure()) return;
  }
}

TEST_F(HaloTest, OfManyRowsAreReadInRounds) {
  const VoxelSet voxels = brute::random_voxels({1, {20, 21, 22}}, 9000, 5);
  EXPECT_GT(expect_halos(voxels, {ConvKind::strided, {3, 3, 3}, {2, 2, 2}, {1, 1, 1}}), 1);
}

// On a surface tiles reach few rows more than they have, and eight rows in a row of a group differ
// in color: their neighbors are then read from shared memory without conflict.
TEST_F(HaloTest, OfSurfacesAreSmallAndColorful) {
  VoxelSet plane{{}, {1, {64, 64, 64}}, {}};
  for (int32_t x = 0; x < 64; ++x)
    for (int32_t y = 0; y < 64; ++y) plane.coords.push_back({0, x, y, (x + 2 * y) / 5});
  EXPECT_EQ(expect_halos(plane, {}), 1);
  const DeviceCoords in = upload(plane);
  const LayerMaps maps = build(in, {},
                               {.fprop_lists = true,
                                .tile_rows = kHaloGroupRows,
                                .tile_index = false,
                                .halos = true,
                                .order = RowOrder::z});
  const std::vector<uint16_t> local = download(maps.fprop.halos.local);
  double slots = 0, indices = 0, banks = 0;
  for (const HaloTile& tile : download(maps.fprop.halos.tiles)) {
    slots += tile.slot_count;
    int entries = 0;
    for (const uint32_t mask : tile.masks) entries += std::popcount(mask);
    const auto begin = static_cast<size_t>(tile.local_begin * kHaloGroupRows);
    for (size_t i = begin; i < begin + size_t(entries * kHaloGroupRows); i += 8) {
      std::set<uint16_t> different;
      for (size_t j = 0; j < 8; ++j) different.insert(local[i + j] % 8);
      banks += double(different.size());
      indices += 8;
    }
  }
  EXPECT_LT(slots, 1.6 * double(plane.size()));
  EXPECT_GT(banks, 0.9 * indices);
}

// A slot and its low bits tell its row's color. Wrong ones would still lead to the right rows.
TEST_F(HaloTest, ColorsGoByTheFirstRuleThatSpreadsGroupsBest) {
  const VoxelSet voxels = brute::sphere(24);
  const LayerMaps maps = build(upload(voxels), {},
                               {.fprop_lists = true,
                                .tile_rows = kHaloGroupRows,
                                .tile_index = false,
                                .halos = true,
                                .order = RowOrder::z});
  const std::vector<int32_t> order = download(maps.fprop.order);
  const std::vector<uint32_t> slots = download(maps.fprop.halos.slots);
  const auto color = [&](uint32_t rule, uint32_t row) {
    const Coord& c = voxels.coords[row];
    return (rule % 8 * uint32_t(c.x) + rule / 8 * uint32_t(c.y) + uint32_t(c.z)) % kHaloColors;
  };
  const auto cost = [&](uint32_t rule, size_t tile) {
    int sum = 0;
    for (size_t group = 0; group < kHaloGroups; ++group) {
      std::array<int, kHaloColors> rows{};
      const size_t begin = tile * kHaloRows + group * kHaloGroupRows;
      for (size_t i = begin; i < std::min(begin + kHaloGroupRows, order.size()); ++i)
        ++rows[color(rule, uint32_t(order[i]))];
      sum += *std::ranges::max_element(rows);
    }
    return sum;
  };
  std::set<uint32_t> rules;
  for (size_t tile = 0; tile * kHaloRows < order.size(); ++tile) {
    uint32_t best = 0;
    for (uint32_t rule = 1; rule < 64; ++rule)
      if (cost(rule, tile) < cost(best, tile)) best = rule;
    rules.insert(best);
    for (size_t i = 0; i < kHaloSlots; ++i) {
      const uint32_t slot = slots[tile * kHaloSlots + i];
      if (slot == HaloLists::kNoRow) continue;
      ASSERT_EQ(i % 2 * kHaloChunks + slot % kHaloChunks, color(best, slot >> 2)) << tile;
    }
  }
  EXPECT_GT(rules.size(), 3u);
}

TEST_F(HaloTest, OfOtherListsAreRefused) {
  const DeviceCoords in = upload(brute::shapes()[3].voxels);
  const auto refused = [&](LayerNeeds needs, const ConvGeometry& geometry = {}) {
    needs.fprop_lists = needs.halos = true;
    return error_of([&] { build(in, geometry, needs); }) != "";
  };
  const LayerNeeds halos{.tile_rows = kHaloGroupRows, .tile_index = false};
  const auto with = [&](auto change) {
    LayerNeeds needs = halos;
    change(needs);
    return needs;
  };
  EXPECT_FALSE(refused(halos));
  EXPECT_TRUE(refused(with([](LayerNeeds& needs) { needs.tile_rows = 128; })));
  EXPECT_TRUE(refused(with([](LayerNeeds& needs) { needs.tile_index = true; })));
  EXPECT_TRUE(refused(with([](LayerNeeds& needs) { needs.longest_first = true; })));
  EXPECT_TRUE(refused(with([](LayerNeeds& needs) { needs.segments = 2; })));
  EXPECT_TRUE(refused(with([](LayerNeeds& needs) { needs.order = RowOrder::none; })));
  EXPECT_TRUE(refused(halos, {ConvKind::subm, {5, 5, 5}, {1, 1, 1}, {1, 1, 1}}));
}

// Wrong steps would still lead to the right rows, by other colors: only bank conflicts would tell.
TEST(HaloGeometry, LeadsFromCoordToCoord) {
  const auto steps_lead = [](const Coord& from, const Coord& to, const HaloGeometry& by, int o) {
    const int32_t c[3] = {from.x, from.y, from.z}, expected[3] = {to.x, to.y, to.z};
    for (size_t a = 0; a < 3; ++a) {
      const int32_t reached = c[a] * by.multiplier[a] / by.divisor[a] + by.steps[o][a];
      if (((reached - expected[a]) & (kHaloColors - 1)) != 0) return false;
    }
    return true;
  };
  for (const brute::Shape& shape : brute::shapes()) {
    if (shape.geometry.kernel_volume() > kMostHaloOffsets) continue;
    SCOPED_TRACE(brute::text(shape));
    const auto origin = made_grid(shape.voxels.box, shape.geometry).origin;
    const HaloGeometry forward = halo_geometry(shape.geometry, origin, false),
                       reverse = halo_geometry(shape.geometry, origin, true);
    const MapSet map = brute::map_set(shape.voxels, shape.geometry);
    for (const Triple& t : map.triples) {
      const Coord &u = map.out_coords[static_cast<size_t>(t.out)],
                  &p = shape.voxels.coords[static_cast<size_t>(t.in)];
      ASSERT_TRUE(steps_lead(u, p, forward, t.offset)) << "offset " << t.offset;
      ASSERT_TRUE(steps_lead(p, u, reverse, t.offset)) << "reverse, offset " << t.offset;
    }
  }
}

}  // namespace
}  // namespace spb::maps
