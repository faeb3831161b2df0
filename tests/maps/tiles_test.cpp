// Masks, orders and tile lists against brute force, one word and several.
#include <numeric>

#include "device_fixture.h"
#include "maps/gray.h"
#include "shapes.h"

namespace spb::maps {
namespace {

class TilesTest : public DeviceTest {
 protected:
  struct Built {
    std::vector<std::vector<bool>> expected;  // masks by brute force
    RowMasks masks;
  };
  Built build(const brute::Shape& shape) {
    const DeviceCoords in = upload(shape.voxels);
    const OutputCoords out = build_output_coords(in, shape.geometry, context());
    const auto map = brute::neighbor_map(shape.voxels, download(out), shape.geometry);
    return {brute::masks(map, shape.geometry.kernel_volume()),
            build_masks(build_neighbor_map(in, out, shape.geometry, context()), context())};
  }
};

std::vector<int32_t> expected_order(const std::vector<std::vector<bool>>& masks, RowOrder order,
                                    int64_t window) {
  std::vector<int32_t> rows(masks.size());
  std::iota(rows.begin(), rows.end(), 0);
  const auto key = [&](int32_t row) {
    return std::pair(order == RowOrder::window ? row / window : 0,
                     brute::rank(masks[static_cast<size_t>(row)], order != RowOrder::plain));
  };
  std::stable_sort(rows.begin(), rows.end(), [&](int32_t a, int32_t b) { return key(a) < key(b); });
  return rows;
}

TEST(Gray, PositionsFollowTheReflectedSequence) {
  for (uint32_t i = 0; i < 100000; i += 7) EXPECT_EQ(gray_position(i ^ i >> 1), i);
  EXPECT_EQ(gray_position(0x80000000u), ~0u);
}

TEST_F(TilesTest, MasksHaveABitPerPair) {
  for (const auto& shape : brute::shapes()) {
    const Built built = build(shape);
    const auto words = download(built.masks.words);
    const auto per_row = static_cast<size_t>(built.masks.words_per_row);
    ASSERT_EQ(built.masks.n_rows, static_cast<int64_t>(built.expected.size()));
    ASSERT_EQ(per_row, (static_cast<size_t>(shape.geometry.kernel_volume()) + 31) / 32);
    for (size_t row = 0; row < built.expected.size(); ++row)
      for (size_t bit = 0; bit < 32 * per_row; ++bit)
        ASSERT_EQ(words[row * per_row + bit / 32] >> bit % 32 & 1,
                  bit < built.expected[row].size() && built.expected[row][bit])
            << brute::text(shape) << ", row " << row << ", bit " << bit;
  }
}

TEST_F(TilesTest, OrdersAreStableSortsByRank) {
  for (const auto& shape : brute::shapes()) {
    const Built built = build(shape);
    EXPECT_EQ(build_order(built.masks, RowOrder::none, 1, context()).size(), 0);
    for (const auto order : {RowOrder::plain, RowOrder::gray, RowOrder::window})
      for (const int64_t window : {1, 64, 100, 16384}) {
        const auto rows = build_order(built.masks, order, window, context());
        ASSERT_EQ(download(rows), expected_order(built.expected, order, window))
            << brute::text(shape) << ", " << name(order) << " " << window;
        if (order != RowOrder::window) break;
      }
  }
}

TEST_F(TilesTest, TileListsHoldEachOffsetOfAnyRow) {
  for (const auto& shape : brute::shapes())
    for (const auto order : {RowOrder::none, RowOrder::gray})
      for (const int tile_rows : {1, 7, 64, 128}) {
        const Built built = build(shape);
        const TileLists lists = build_tile_lists(
            built.masks, build_order(built.masks, order, 1, context()), tile_rows, context());
        std::vector<int32_t> rows = expected_order(built.expected, RowOrder::gray, 1);
        if (order == RowOrder::none) std::iota(rows.begin(), rows.end(), 0);

        std::vector<int32_t> valid_kernel;
        std::vector<int64_t> seg{0};
        for (size_t begin = 0; begin < rows.size(); begin += static_cast<size_t>(tile_rows)) {
          std::set<int32_t> offsets;
          for (size_t i = begin; i < std::min(rows.size(), begin + static_cast<size_t>(tile_rows));
               ++i) {
            const auto& mask = built.expected[static_cast<size_t>(rows[i])];
            for (size_t o = 0; o < mask.size(); ++o)
              if (mask[o]) offsets.insert(static_cast<int32_t>(o));
          }
          valid_kernel.insert(valid_kernel.end(), offsets.begin(), offsets.end());
          seg.push_back(static_cast<int64_t>(valid_kernel.size()));
        }
        EXPECT_EQ(download(lists.valid_kernel), valid_kernel) << brute::text(shape);
        EXPECT_EQ(download(lists.valid_kernel_seg), seg) << brute::text(shape);
        EXPECT_EQ(lists.tiles + 1, static_cast<int64_t>(seg.size()));
        EXPECT_EQ(lists.listed, seg.back());
        EXPECT_EQ(lists.n_rows, built.masks.n_rows);
        EXPECT_EQ(lists.order.size(), order == RowOrder::none ? 0 : lists.n_rows);
      }
}

// Also tiles higher than a block, and so many offsets that a block stages fewer rows than a tile
// has.
TEST_F(TilesTest, TileIndexHasTheEntryOfEveryPositionAndListedOffset) {
  for (const auto& shape : brute::shapes())
    for (const auto& [order, tile_rows] :
         {std::pair(RowOrder::none, 7), {RowOrder::gray, 128}, {RowOrder::plain, 256}}) {
      SCOPED_TRACE(brute::text(shape) + ", tiles of " + std::to_string(tile_rows));
      const DeviceCoords in = upload(shape.voxels);
      const OutputCoords out = build_output_coords(in, shape.geometry, context());
      const NeighborMap map = build_neighbor_map(in, out, shape.geometry, context());
      const RowMasks masks = build_masks(map, context());
      TileLists lists =
          build_tile_lists(masks, build_order(masks, order, 1, context()), tile_rows, context());
      EXPECT_EQ(lists.tile_index.size(), 0);
      build_tile_index(map, lists, context());

      const auto entries = download(map.rows), rows = download(lists.order);
      const auto offsets = download(lists.valid_kernel);
      const auto seg = download(lists.valid_kernel_seg);
      std::vector<int32_t> expected;
      for (int64_t tile = 0; tile < lists.tiles; ++tile)
        for (auto item = seg[size_t(tile)]; item < seg[size_t(tile) + 1]; ++item)
          for (int64_t position = tile * tile_rows; position < (tile + 1) * tile_rows; ++position) {
            const int64_t row = position >= map.n_out ? -1
                                : rows.empty()        ? position
                                                      : rows[size_t(position)];
            expected.push_back(
                row < 0 ? -1 : entries[size_t(row * map.kernel_volume + offsets[size_t(item)])]);
          }
      ASSERT_EQ(download(lists.tile_index), expected);
    }
}

TEST_F(TilesTest, NonsenseIsRefused) {
  const Built built = build(brute::shapes()[3]);
  EXPECT_NE(error_of([&] { build_tile_lists(built.masks, {}, 0, context()); }), "");
  EXPECT_NE(error_of([&] { build_order(built.masks, RowOrder::window, 0, context()); }), "");
}

}  // namespace
}  // namespace spb::maps
