// SPDX-License-Identifier: Apache-2.0
// LDS of kernels on matrix cores: what is written where, and its banks.
#include <map>
#include <set>
#include <span>
#include <utility>

#include "kernels/banks.h"
#include "kernels/gather_gemm/matrix_cores/tiles.h"
#include "kernels/matrix_cores/places.h"
#include "kernels/wgrad/matrix_cores/places.h"

namespace spb::plans {
namespace {

/// f(tile, dtype) for each dtype of each tile.
template <class F>
void for_each_dtype(std::span<const MatrixTile> tiles, F f) {
  for (const MatrixTile& tile : tiles)
    for (const Dtype dtype : {Dtype::f16, Dtype::bf16, Dtype::f32, Dtype::tf32, Dtype::i8})
      if (tile.dtypes & dtype_bit(dtype)) f(tile, dtype);
}

/// Lanes in the order in which gfx9 takes those of a load of 16 bytes: 0 to 3 with 20 to 23, 4 to 7
/// with 16 to 19, and so on (CK Tile's page on LDS and bank conflicts).
constexpr int paired_lane(int i) {
  const int half = i % 32, phase = half / 8, in_phase = half % 8;
  constexpr int kFirst[] = {0, 4, 8, 12}, kSecond[] = {20, 16, 28, 24};
  return i / 32 * 32 + (in_phase < 4 ? kFirst[phase] : kSecond[phase] - 4) + in_phase;
}

/// What lanes read of a stage, taken in order and as gfx9 pairs them.
void count_matrix_reads(Counted& counted, const char* kernel, const MatrixPlaces& places) {
  for (int slice = 0; slice < places.slices(); ++slice)
    for (int read = 0; read < places.reads(); ++read)
      for (const bool paired : {false, true}) {
        const auto thread = [&](int t) { return paired ? paired_lane(t) : t; };
        count_load(counted, kernel, ways(places.threads(), 16, [&](int t) {
                     return places.read_a(thread(t), 0, slice, read) * 16;
                   }));
        count_load(counted, kernel, ways(places.threads(), 16, [&](int t) {
                     return places.read_b(thread(t), 0, slice, read) * 16;
                   }));
      }
}

void count_matrix_rows(Counted& counted, const MatrixTile& tile, Dtype dtype) {
  const MatrixPlaces places = places_of(tile, dtype);
  const int threads = places.threads();
  for (int pass = 0; pass < places.passes_a(); ++pass)
    count_store(counted, tile.name, ways(threads, 16, [&](int t) {
                  const auto copy = places.copy(t, pass);
                  return places.at(copy.row, copy.chunk) * 16;
                }));
  for (int pass = 0; pass < places.passes_b(); ++pass) {
    for (const bool transposed : {false, true}) {
      if (transposed && info(dtype).is_scaled()) continue;  // weights are turned before
      count_store(counted, tile.name, ways(threads, 16, [&](int t) {
                    const auto copy =
                        transposed ? places.transposed_copy(t, pass) : places.copy(t, pass);
                    return places.at(places.tile_m() + copy.row, copy.chunk) * 16;
                  }));
    }
  }
  count_matrix_reads(counted, tile.name, places);
  const gpu::LaneTable& table = places.table;
  for (int first = 0; first < places.slab_columns(); first += table.size)
    for (int r = 0; r < table.sums(); ++r)
      count_store(counted, tile.name, ways(table.lanes, 4, [&](int lane) {
                    return places.slab(table.row(lane, r), first + table.line(lane)) * 4;
                  }));
  const int fours = places.slab_columns() / 4;
  EXPECT_EQ(table.size * fours % table.lanes, 0) << tile.name << ": whole turns of all lanes";
  count_load(counted, tile.name, ways(table.size * fours, 16, [&](int four) {
               return places.slab(four / fours, four % fours * 4) * 4;
             }));
}

TEST(Banks, OfRowsOnMatrixCores) {
  Counted counted;
  for_each_dtype(kMatrixRowTiles, [&](const MatrixTile& tile, Dtype dtype) {
    count_matrix_rows(counted, tile, dtype);
  });
  for (const KernelVariant& variant : kMatrixRowVariants) expect_listed(variant, counted);
}

TEST(Banks, OfWgradOnMatrixCores) {
  Counted counted;
  for_each_dtype(kMatrixWgradTiles, [&](const MatrixTile& tile, Dtype dtype) {
    const MatrixPlaces places = places_of(tile, dtype);
    for (int pass = 0; pass < block_passes(places); ++pass)
      for (int channel = 0; channel < places.chunk_elements(); ++channel)
        count_store(counted, tile.name, ways(places.threads(), 16, [&](int t) {
                      return place_of(places, block_of(places, t, pass), channel) * 16;
                    }));
    count_matrix_reads(counted, tile.name, places);
  });
  for (const WgradTile& tile : kWgradTiles)
    if (tile.matrix) expect_listed(tile.variant, counted);
}

// A pair of a channel lies where products look for it: once, in the row of its channel.
TEST(MatrixBlocks, CoverTheirStage) {
  for_each_dtype(kMatrixWgradTiles, [](const MatrixTile& tile, Dtype dtype) {
    const MatrixPlaces places = places_of(tile, dtype);
    ASSERT_TRUE(has_sound_blocks(places)) << tile.name;
    std::map<int, std::pair<int, int>> written;  // place: row of the stage, chunk
    for (int t = 0; t < places.threads(); ++t)
      for (int p = 0; p < block_passes(places); ++p) {
        const MatrixBlock block = block_of(places, t, p);
        for (int c = 0; c < places.chunk_elements(); ++c) {
          const int row = (block.of_b ? places.tile_m() : 0) + block.line + c;
          EXPECT_TRUE(written.insert({place_of(places, block, c), {row, block.chunk}}).second);
        }
      }
    EXPECT_EQ(written.size(), static_cast<size_t>(places.stage_chunks())) << tile.name;
    for (int row = 0; row < places.tile_m() + places.tile_n(); ++row)
      for (int chunk = 0; chunk < places.row_chunks(); ++chunk)
        EXPECT_EQ(written.at(places.at(row, chunk)), std::pair(row, chunk)) << tile.name;
    EXPECT_LE(places.stage_chunks() * 16, 65536) << tile.name;
  });
}

// Sums that wait for their rows lie alone, four of a row side by side.
TEST(MatrixPlaces, OfSumsAreTheirOwn) {
  for_each_dtype(kMatrixRowTiles, [](const MatrixTile& tile, Dtype dtype) {
    const MatrixPlaces places = places_of(tile, dtype);
    std::set<int> all;
    for (int row = 0; row < places.table.size; ++row)
      for (int column = 0; column < places.slab_columns(); ++column) {
        all.insert(places.slab(row, column));
        EXPECT_EQ(places.slab(row, column), places.slab(row, column / 4 * 4) + column % 4);
      }
    EXPECT_EQ(all.size(), static_cast<size_t>(places.slab_sums())) << tile.name;
    EXPECT_EQ(*all.rbegin(), places.slab_sums() - 1) << tile.name;
  });
}

// Every chunk of a stage is copied once and lies alone; what lanes read covers the depth.
TEST(MatrixPlaces, CoverTheirStage) {
  for_each_dtype(kMatrixRowTiles, [](const MatrixTile& tile, Dtype dtype) {
    const MatrixPlaces places = places_of(tile, dtype);
    std::set<int> all, read;
    for (int t = 0; t < places.threads(); ++t) {
      for (int p = 0; p < places.passes_a(); ++p)
        all.insert(places.at(places.copy(t, p).row, places.copy(t, p).chunk));
      for (int p = 0; p < places.passes_b(); ++p) {
        const auto copy = places.transposed_copy(t, p);
        all.insert(places.at(places.tile_m() + copy.row, copy.chunk));
      }
      for (int slice = 0; slice < places.slices(); ++slice)
        for (int r = 0; r < places.reads(); ++r) {
          for (int i = 0; i < tile.warp_m / tile.atom_size; ++i)
            read.insert(places.read_a(t, i, slice, r));
          for (int j = 0; j < tile.warp_n / tile.atom_size; ++j)
            read.insert(places.read_b(t, j, slice, r));
        }
    }
    EXPECT_EQ(all.size(), static_cast<size_t>(places.stage_chunks())) << tile.name;
    EXPECT_EQ(read, all) << tile.name;
    EXPECT_LE(places.shared_chunks() * 16, 65536) << tile.name;
  });
}

}  // namespace
}  // namespace spb::plans
