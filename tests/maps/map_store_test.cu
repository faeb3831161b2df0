// SPDX-License-Identifier: Apache-2.0
#include "maps/map_store.h"

#include "device_fixture.h"
#include "maps/pairs/offset_groups.h"
#include "maps/table/pending_map.h"
#include "shapes.h"

namespace spb::maps {
namespace {

class MapStoreTest : public DeviceTest {
 protected:
  static MapNeeds lists(bool reverse, int tile_rows = 128) {
    MapNeeds needs;
    needs.lists = {{.reverse = reverse, .tile_rows = tile_rows}};
    return needs;
  }
  static MapNeeds pairs() {
    MapNeeds needs;
    needs.pairs = true;
    return needs;
  }
  /// That the first rounds of each tile name, ascending.
  std::vector<std::vector<uint32_t>> rows_of(const TileLists& lists) {
    const std::vector<uint32_t> slots = download(lists.halos.slots);
    std::vector<std::vector<uint32_t>> tiles;
    for (size_t begin = 0; begin < slots.size(); begin += kHaloSlots) {
      auto& rows = tiles.emplace_back();
      for (size_t i = begin; i < begin + kHaloSlots; ++i)
        if (slots[i] != HaloLists::kNoRow) rows.push_back(slots[i] >> 2);
      std::ranges::sort(rows);
    }
    return tiles;
  }
};

TEST_F(MapStoreTest, BuildsALayersDirectionsInOneChain) {
  const DeviceCoords in = upload(brute::random_voxels({1, {9, 9, 9}}, 300, 1));
  for (const ConvKind kind : {ConvKind::subm, ConvKind::strided}) {
    ConvGeometry geometry;
    geometry.kind = kind;
    MapStore store({in, geometry}, allocator_);
    const bool reverse = kind != ConvKind::subm;
    MapNeeds layer = lists(false);
    layer.add(lists(reverse));
    layer.add(pairs());
    EXPECT_EQ(layer.lists.size(), reverse ? 2u : 1u);
    store.made(stream_);
    const int64_t waits = stream_.waits();
    store.get(layer, stream_);
    EXPECT_EQ(stream_.waits() - waits, 1);
    for (const MapNeeds& direction : {lists(false), lists(reverse), pairs(), layer})
      store.get(direction, stream_);
    EXPECT_EQ(store.builds(), 1);
    EXPECT_EQ(stream_.waits() - waits, 1);
  }
}

TEST_F(MapStoreTest, GivesEveryoneTheSameParts) {
  const DeviceCoords in = upload(brute::random_voxels({1, {9, 9, 9}}, 300, 1));
  MapStore store({in, {}}, allocator_);
  const auto first = store.get(lists(false), stream_).find(lists(false).lists[0]);
  const auto pair_lists = store.get(pairs(), stream_).pairs;
  EXPECT_EQ(store.builds(), 2);
  EXPECT_EQ(store.get(lists(false), stream_).find(lists(false).lists[0]), first);
  EXPECT_EQ(store.get(pairs(), stream_).pairs, pair_lists);
  EXPECT_EQ(store.builds(), 2);
  EXPECT_NE(store.get(lists(false, 64), stream_).find(lists(false, 64).lists[0]), first);
  EXPECT_EQ(store.builds(), 3);
}

// A direction that needs an order of tiles and one that does not share lists, whoever comes first.
TEST_F(MapStoreTest, ListsWithAnOrderServeThoseWithout) {
  const DeviceCoords in = upload(brute::random_voxels({1, {9, 9, 9}}, 300, 1));
  const MapNeeds plain = lists(false, 16);
  MapNeeds ordered = plain;
  ordered.lists[0].longest_first = true;
  MapNeeds plain_first = plain, ordered_first = ordered;
  plain_first.add(ordered);
  ordered_first.add(plain);
  EXPECT_EQ(plain_first.lists, ordered.lists);
  EXPECT_EQ(ordered_first.lists, ordered.lists);

  MapStore store({in, {}}, allocator_);
  const auto both = store.get(ordered, stream_).find(ordered.lists[0]);
  EXPECT_EQ(store.get(plain, stream_).find(plain.lists[0]), both);
  EXPECT_EQ(store.builds(), 1);
  const std::vector<int64_t> seg = download(both->valid_kernel_seg);
  const auto length = [&](int32_t tile) {
    return seg[static_cast<size_t>(tile) + 1] - seg[static_cast<size_t>(tile)];
  };
  std::vector<int32_t> tiles = download(both->longest_first);
  EXPECT_EQ(static_cast<int64_t>(tiles.size()), both->tiles);
  EXPECT_TRUE(std::ranges::is_sorted(tiles, std::ranges::greater(), length));
  std::ranges::sort(tiles);
  for (size_t i = 0; i < tiles.size(); ++i) EXPECT_EQ(tiles[i], static_cast<int32_t>(i));

  MapStore late({in, {}}, allocator_);
  EXPECT_EQ(late.get(plain, stream_).find(plain.lists[0])->longest_first.size(), 0);
  EXPECT_GT(late.get(ordered, stream_).find(ordered.lists[0])->longest_first.size(), 0);
  EXPECT_EQ(late.builds(), 2);
}

// Without a wait for halos alone; then the same lists have what others' have, and errors are told.
TEST_F(MapStoreTest, GoesAheadOfHalos) {
  MapNeeds halos;
  halos.lists = {halo_lists(false)};
  VoxelSet solid{{}, {1, {21, 21, 21}}, {}};
  for (int32_t i = 0; i < 21 * 21 * 21; ++i)
    solid.coords.push_back({0, i / 441, i / 21 % 21, i % 21});
  VoxelSet twice = brute::sphere(12);
  twice.coords.back() = twice.coords.front();
  const VoxelSet none{{}, {1, {8, 8, 8}}, {}}, one{{{0, 3, 4, 5}}, {1, {8, 8, 8}}, {}};
  for (const VoxelSet& voxels : {none, one, brute::sphere(12), solid}) {
    const DeviceCoords in = upload(voxels);
    MapStore store({in, {}}, allocator_), other({in, {}}, allocator_);
    store.made(stream_);
    const int64_t waits = stream_.waits();
    store.get_ahead(halos, stream_);
    EXPECT_EQ(stream_.waits(), waits);
    const auto ahead = store.get(halos, stream_).find(halos.lists[0]);
    EXPECT_EQ(stream_.waits(), waits);
    EXPECT_EQ(ahead->halos.more.size(), 0);
    EXPECT_EQ(store.settle(), voxels.size() == solid.size());
    EXPECT_FALSE(store.settle());
    EXPECT_EQ(store.builds(), 1);
    const auto waited = other.get(halos, stream_).find(halos.lists[0]);
    EXPECT_EQ(ahead->listed, waited->listed);
    // Slots go by who came first to a place of a table; the rows are the same.
    EXPECT_EQ(rows_of(*ahead), rows_of(*waited));
    EXPECT_EQ(ahead->halos.more.size(), waited->halos.more.size());
  }
  const DeviceCoords in = upload(twice);
  MapStore store({in, {}}, allocator_);
  store.get_ahead(halos, stream_);
  EXPECT_THROW(store.settle(), Error);
  EXPECT_EQ(store.builds(), 0);
  EXPECT_FALSE(store.settle());
  EXPECT_THROW(store.get(halos, stream_), Error) << "what was ahead is given to nobody";
  // What waits anyway waits at once, and completes what was left open.
  const DeviceCoords valid = upload(solid);
  MapStore lists_too({valid, {}}, allocator_);
  lists_too.get_ahead(halos, stream_);
  lists_too.get(lists(false), stream_);
  EXPECT_TRUE(lists_too.settle());
  EXPECT_EQ(lists_too.builds(), 2);
  // Of two that are open, each has its own report.
  const DeviceCoords shell = upload(brute::sphere(12));
  MapStore first({valid, {}}, allocator_), second({shell, {}}, allocator_);
  first.get_ahead(halos, stream_);
  second.get_ahead(halos, stream_);
  EXPECT_TRUE(first.settle());
  EXPECT_FALSE(second.settle());
  MapStore lists_alone({valid, {}}, allocator_);
  lists_alone.get_ahead(lists(false), stream_);
  EXPECT_FALSE(lists_alone.settle());
}

TEST_F(MapStoreTest, PartsOutliveTheStore) {
  const DeviceCoords in = upload(brute::random_voxels({1, {9, 9, 9}}, 300, 1));
  std::shared_ptr<const KernelMap> pair_lists;
  const int64_t before = allocator_.counts().live_bytes;
  {
    MapStore store({in, {}}, allocator_);
    MapNeeds needs = pairs();
    needs.table = true;
    pair_lists = store.get(needs, stream_).pairs;
    EXPECT_GE(allocator_.counts().live_bytes - before, 300 * 27 * 4);
  }
  EXPECT_LT(allocator_.counts().live_bytes - before, 300 * 27 * 4);
  EXPECT_EQ(download(pair_lists->fine_index).size(), static_cast<size_t>(pair_lists->n_pairs()));
}

// Where few rows share their neighbors, pair lists come instead, in the same chain; the store
// remembers.
TEST_F(MapStoreTest, SparseGroupsBecomePairLists) {
  MapNeeds grouped;
  grouped.groups = 2;
  for (const int64_t draws : {1000, 20000}) {
    const DeviceCoords in = upload(brute::random_voxels({1, {16, 16, 16}}, draws, 5));
    MapStore store({in, {}}, allocator_);
    const bool sparse = draws == 1000;
    const int64_t waits = stream_.waits();
    EXPECT_EQ(store.get(grouped, stream_).groups == nullptr, sparse);
    EXPECT_EQ(stream_.waits() - waits, sparse ? 1 : 2);
    EXPECT_EQ(store.get(grouped, stream_).pairs != nullptr, sparse);
    EXPECT_EQ(store.builds(), 1);
    MapNeeds forced = grouped;
    forced.sparse_groups = true;
    EXPECT_NE(store.get(forced, stream_).groups, nullptr);
  }
}

TEST_F(MapStoreTest, CountsTheRowsOfGroups) {
  for (const auto& shape : brute::shapes()) {
    const DeviceCoords in = upload(shape.voxels);
    for (const int slots : {2, 3, 4}) {
      MapStore store({in, shape.geometry}, allocator_);
      MapNeeds needs;
      needs.groups = slots;
      needs.table = needs.sparse_groups = true;
      const Maps& maps = store.get(needs, stream_);
      const RowMasks masks = build_masks(*maps.forward, context());
      gpu::Buffer<uint64_t> members(allocator_, 1, gpu::Tag::plan);
      gpu::fill_bytes(members.data(), 0, sizeof(uint64_t), stream_);
      count_members(masks, slots, members.data(), context());
      EXPECT_EQ(download(members)[0], static_cast<uint64_t>(maps.groups->entries()))
          << brute::text(shape) << ", groups of " << slots;
    }
  }
}

}  // namespace
}  // namespace spb::maps
