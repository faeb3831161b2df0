// SPDX-License-Identifier: Apache-2.0
// Banks of kernels whose addresses are numbers alone; docs/kernels.md, section 6.
#include "kernels/banks.h"

#include <set>
#include <utility>

#include "gpu/mma/warp_tiles_sm80.h"
#include "kernels/common/halo_places.h"
#include "kernels/gather_gemm/halo/halo.h"
#include "kernels/gather_gemm/halo/weight_places.h"
#include "kernels/gather_gemm/sm80/places.h"
#include "kernels/gather_gemm/sm80/tiles.h"
#include "kernels/gather_gemm/wgmma/places.h"
#include "kernels/gather_gemm/wgmma/wgmma.h"
#include "kernels/wgrad/halo/places.h"
#include "kernels/wgrad/sm80/shape.h"
#include "kernels/wgrad/wgmma/slab.h"
#include "kernels/wgrad/wgmma_tf32/places.h"

namespace spb::plans {
namespace {

using gpu::sm80::LayoutB;

constexpr unsigned kTf32Multiplies = kTf32 | kTf32x3;

/// f.operator()<0>() to f.operator()<Count - 1>().
template <size_t Count, class F>
void for_each_index(F f) {
  [&]<size_t... I>(std::index_sequence<I...>) { (f.template operator()<I>(), ...); }
  (std::make_index_sequence<Count>());
}

template <class Tiles>
void count_slab(Counted& counted, const char* kernel, int bytes_of_out) {
  const auto count = [&]<int Bytes>(std::integral_constant<int, Bytes>) {
    using Slab = RowSlab<Tiles::kWarpN, Bytes>;
    for (int half = 0; half < 2; ++half)
      count_store(counted, kernel, ways(32, 2 * Bytes, [&](int lane) {
                    return Slab::pair(uint64_t{0}, lane, 0, half);
                  }));
    count_load(counted, kernel, ways(16 * Slab::kChunks, 16, [](int i) {
                 return Slab::chunk(uint64_t{0}, i / Slab::kChunks, i % Slab::kChunks);
               }));
  };
  if (bytes_of_out == 2) count(std::integral_constant<int, 2>());
  count(std::integral_constant<int, 4>());  // of slices
}

template <size_t Index, LayoutB Layout>
void count_rows(Counted& counted) {
  constexpr Sm80RowTile tile = kSm80RowTiles[Index];
  constexpr int kBytes = operand_bytes(tile.dtypes);
  using Tiles = gpu::sm80::WarpTiles<tile.warps_m, tile.warps_n, tile.warp_m, tile.warp_n, kBytes,
                                     tile.row_bytes, Layout>;
  using Copies = RowCopies<Tiles>;
  constexpr int kThreads = Tiles::kThreads;
  constexpr bool kTransposed = Layout == LayoutB::transposed;
  count_store(counted, tile.name, ways(kThreads, 16, [](int t) {
                return Copies::to_a(t / Copies::kChunksA, t % Copies::kChunksA);
              }));
  count_store(counted, tile.name, ways(kThreads, 16, [](int t) {
                return Copies::to_b(t / Copies::kChunksB, t % Copies::kChunksB);
              }));
  if constexpr (tile.dtypes == kF32) {
    using Reads = gpu::sm80::FmaReads<Tiles>;
    count_load(counted, tile.name, ways(kThreads, 16, [](int t) { return Reads::place(t).a; }));
    count_load(counted, tile.name,
               ways(kThreads, kTransposed ? 8 : 16, [](int t) { return Reads::place(t).b; }));
  } else {
    using Reads = gpu::sm80::MmaReads<Tiles>;
    count_load(counted, tile.name, ways(kThreads, 16, [](int t) { return Reads::place(t).a; }));
    count_load(counted, tile.name, ways(kThreads, kTransposed && kBytes == 4 ? 4 : 16, [](int t) {
                 return Reads::place(t).b;
               }));
  }
  count_slab<Tiles>(counted, tile.name, kBytes);
}

TEST(Banks, OfRowsFromSm80On) {
  Counted counted;
  for_each_index<kSm80RowTileCount>([&]<size_t Index>() {
    count_rows<Index, LayoutB::depth_contiguous>(counted);
    if constexpr (!(kSm80RowTiles[Index].dtypes & kScaledDtypes))  // weights are turned before
      count_rows<Index, LayoutB::transposed>(counted);
  });
  for (const KernelVariant& variant : kSm80RowVariants) expect_listed(variant, counted);
}

// The slab of fp32 sums has the wider pad, and stages still set what a block takes.
TEST(Banks, SlabsFitInStages) {
  for_each_index<kSm80RowTileCount>([]<size_t Index>() {
    constexpr Sm80RowTile tile = kSm80RowTiles[Index];
    constexpr KernelVariant variant = variant_of(tile);
    constexpr int kSlabs = variant.threads / 32 * RowSlab<tile.warp_n, 4>::kBytes;
    EXPECT_LT(kSlabs, tile.stages * (variant.tile_m + variant.tile_n) * tile.row_bytes)
        << tile.name;
  });
}

template <size_t Index>
void count_wgrad(Counted& counted) {
  constexpr WgradTile tile = kWgradTiles[Index];
  constexpr KernelVariant v = tile.variant;
  constexpr int kBytes = operand_bytes(v.dtypes);
  using Shape = WgradShape<tile.warps_m, tile.warps_n, v.tile_m / tile.warps_m,
                           v.tile_n / tile.warps_n, v.tile_k, v.stages, tile.blocks, kBytes>;
  using Copies = WgradCopies<Shape, kBytes>;
  static_assert(Shape::kThreads == v.threads);
  const auto to_a = [](int t) {
    return Copies::to_a(0, t / Copies::kRowThreads, t % Copies::kRowThreads);
  };
  count_store(counted, v.name, ways(v.threads, 16, to_a));
  count_store(counted, v.name, ways(v.threads, 16, [&](int t) {
                return Copies::to_b(to_a(t), t / Copies::kRowThreads);
              }));
  const bool mma = v.dtypes != kF32;
  const auto places = [&](int t) { return mma ? Shape::mma_places(t) : Shape::fma_places(t); };
  const int bytes = mma && kBytes == 4 ? 4 : 16;
  count_load(counted, v.name, ways(v.threads, bytes, [&](int t) { return places(t).a; }));
  count_load(counted, v.name, ways(v.threads, bytes, [&](int t) { return places(t).b; }));
}

TEST(Banks, OfWgradFromSm80On) {
  Counted counted;
  for_each_index<std::size(kWgradTiles)>([&]<size_t Index>() {
    if constexpr (kWgradTiles[Index].variant.min_arch == 80 && !kWgradTiles[Index].halos)
      count_wgrad<Index>(counted);
  });
  expect_wgrad_listed(80, counted);
}

/// Of a stage of wgmma, eight threads to a row of 128 bytes.
int ways_of_warpgroup_copies() {
  return ways(128, 16, [](int t) { return gpu::sm80::swizzled_128(t / 8, t % 8); });
}

// Operands that wgmma reads by itself are in the layout that its swizzle is made for.
TEST(Banks, OfRowsByWarpgroups) {
  for (const KernelVariant& variant : kWgmmaRowVariants) {
    BankWays counted{1, ways_of_warpgroup_copies()};
    const bool tf32 = (variant.dtypes & kTf32Multiplies) != 0;
    if (tf32)
      for (int k = 0; k < 4; ++k)
        counted.loads = std::max(counted.loads, ways(128, 16, [&](int t) {
                                   const int row = WgmmaTf32Reads::row(t, t % 32);
                                   return WgmmaTf32Reads::chunk(row * 128u, row, t % 32, k);
                                 }));
    const auto count_residual = [&]<int Bytes>(std::integral_constant<int, Bytes>) {
      counted.loads =
          std::max(counted.loads, ways(128, 2 * Bytes, WgmmaResidualReads<Bytes>::first));
    };
    if (tf32)
      count_residual(std::integral_constant<int, 4>());
    else
      count_residual(std::integral_constant<int, 2>());
    expect_listed(variant, counted);
  }
}

// Each thread finds the columns that it has sums of, where copies have put them.
TEST(Places, OfResidualsAreThoseOfCopies) {
  const auto walk = [&]<int Bytes>(std::integral_constant<int, Bytes>) {
    using Reads = WgmmaResidualReads<Bytes>;
    for (int t = 0; t < 128; ++t)
      for (int half = 0; half < 2; ++half)
        for (int i = 0; i < Reads::kGroups; ++i) {
          const int group = Reads::trades(t) ? i ^ Reads::kTraded : i;
          const int row = t / 32 * 16 + half * 8 + t % 32 / 4, column = group * 8 + t % 4 * 2;
          EXPECT_EQ(Reads::pair(Reads::first(t), half, i),
                    gpu::sm80::swizzled_128(row, column * Bytes / 16) + column * Bytes % 16)
              << "thread " << t << ", half " << half << ", turn " << i;
        }
  };
  walk(std::integral_constant<int, 2>());
  walk(std::integral_constant<int, 4>());
}

/// f(places) of each shape that kWgradTiles has.
template <class F>
void for_each_wgrad_tf32(F f) {
  for_each_index<std::size(kWgradTiles)>([&]<size_t Index>() {
    constexpr KernelVariant v = kWgradTiles[Index].variant;
    constexpr int kParts = v.dtypes == kTf32x3 ? 2 : 1;
    if constexpr (v.min_arch == 90 && (v.dtypes & kTf32Multiplies) != 0)
      f(WgradTf32Places<v.tile_m, v.tile_n, kParts>());
  });
}

TEST(Banks, OfWgradByWarpgroups) {
  BankWays counted{1, ways_of_warpgroup_copies()};
  counted.stores =
      std::max(counted.stores, ways(32, 16, [](int lane) { return WgmmaSlab::to(0, lane); }));
  counted.loads = ways(32, 16, [](int lane) { return WgmmaSlab::from(0, lane); });
  BankWays of_tf32;
  for_each_wgrad_tf32([&]<class Places>(Places) {
    for (int chunk = 0; chunk < 8; ++chunk)
      of_tf32.stores = std::max(
          {of_tf32.stores,
           ways(Places::kRowLanes, 16, [&](int lane) { return Places::to_turned(lane, chunk); }),
           ways(32, 16, [&](int lane) { return Places::to_copied(lane, chunk, 0); })});
    of_tf32.loads = std::max(of_tf32.loads,
                             ways(256, 8, [](int thread) { return Places::from_copied(thread); }));
  });
  for (const WgradTile& tile : kWgradTiles)
    if (tile.variant.min_arch == 90 && !tile.halos)
      expect_listed(tile.variant, tile.variant.dtypes & kTf32Multiplies ? of_tf32 : counted);
}

// Four pairs of each channel of gout lie where wgmma looks for the chunk of its row's depth, one
// for each lane, element and chunk.
TEST(WgradTf32Places, RowsOfGoutBecomeColumns) {
  for_each_wgrad_tf32([]<class Places>(Places) {
    std::set<uint32_t> all;
    for (int chunk = 0; chunk < Places::kPairs / Places::kWarpPairs; ++chunk)
      for (int lane = 0; lane < Places::kRowLanes; ++lane)
        for (uint32_t e = 0; e < 4; ++e) {
          const uint32_t place = Places::to_turned(lane, chunk) + e * Places::kChannelStep;
          const int row = static_cast<int>(e) * Places::kRowLanes + lane;
          EXPECT_EQ(place, gpu::sm80::swizzled_128(row, chunk));
          EXPECT_EQ(place, (Places::to_turned(lane, 0) ^ Places::chunk_step(chunk)) +
                               e * Places::kChannelStep);
          EXPECT_EQ(Places::channel_of(row), lane * 4 + static_cast<int>(e));
          all.insert(place);
        }
    EXPECT_EQ(all.size() * 16, size_t{Places::kPartBytes});
    EXPECT_EQ(*all.rbegin() + 16, uint32_t{Places::kPartBytes}) << "where low parts begin";
  });
}

// Words of wgmma's operand in registers: r of a thread is of row t % 32 / 4 + 8 (r % 2) of its
// warp's 16 and depth t % 4 + 4 (r / 2). The row + 8 is the next channel.
TEST(WgradTf32Places, RowsOfInAreReadAcross) {
  for_each_wgrad_tf32([]<class Places>(Places) {
    std::set<int> channels;
    for (int thread = 0; thread < 256; ++thread)
      for (int block = 0; block < Places::kBlocks; ++block)
        for (int r = 0; r < 4; ++r) {
          const uint32_t from = Places::from_copied(thread) + static_cast<uint32_t>(block) * 256 +
                                static_cast<uint32_t>(r / 2) * Places::kPairStep +
                                static_cast<uint32_t>(r % 2) * 4;
          const int pair = thread % 4 + r / 2 * 4;
          const int channel = Places::column_of(thread, block) + r % 2;
          EXPECT_EQ(from, Places::to_copied(channel % 128 / 4, pair, channel / 128) +
                              static_cast<uint32_t>(channel % 4) * 4);
          EXPECT_EQ(channel / 16 % 4, thread / 32 % 4) << "wgmma gives a warp 16 rows of 64";
          channels.insert(channel);
        }
    EXPECT_EQ(channels.size(), static_cast<size_t>(Places::kBlocks) * 128);
  });
}

// wgmma's thread t has sum 4 i + 2 h + j of column 8 i + 2 (t % 4) + j, whose channel of gout is
// the one that lies in that row of shared memory.
TEST(WgradTf32Places, GroupsHaveEachSumOnce) {
  for_each_wgrad_tf32([]<class Places>(Places) {
    for (int thread = 0; thread < 128; ++thread) {
      std::set<int> sums;
      for (int g = 0; g < Places::kGroups; ++g) {
        const auto group = Places::group(g);
        for (int i = 0; i < Places::kSumsOfGroup / 2; ++i)
          for (int half = 0; half < 2; ++half) {
            const int sum = group.sum(i, half), of_block = sum % (Places::kRowLanes * 2);
            EXPECT_EQ(group.block, sum / (Places::kRowLanes * 2));
            EXPECT_EQ(half, of_block / 2 % 2);
            EXPECT_EQ(group.row(thread, i),
                      Places::channel_of(of_block / 4 * 8 + thread % 4 * 2 + of_block % 2));
            sums.insert(sum);
          }
      }
      EXPECT_EQ(sums.size(), static_cast<size_t>(Places::kGroups) * Places::kSumsOfGroup);
    }
  });
}

// Eight rows of different colors, in any slots of their parity. How often rows have them:
// tests/maps/halo_test.cpp. What is listed leaves room for the others.
TEST(Banks, OfHalos) {
  using Places = HaloPlaces;
  BankWays counted;
  counted.stores = ways(512, 16, [](int t) {
    const int i = t / Places::kChunks;
    return HaloWeightPlaces::chunk<Places::kChunks>(0, i, i % 32, t % Places::kChunks);
  });
  for (uint32_t color = 0; color < 8; ++color)
    counted.stores = std::max(counted.stores, ways(512, 16, [&](int t) {
                                return Places::slot(0, t / Places::kChunks, t % Places::kChunks,
                                                    (color + t / Places::kChunks * 5) % 8);
                              }));
  for (uint32_t chunk = 0; chunk < Places::kChunks; ++chunk)
    counted.loads = std::max(counted.loads, ways(8, 16, [&](int lane) {
                               const auto color = static_cast<uint32_t>(lane);
                               const uint32_t slot = color * 34 + color / 4;
                               return Places::row(0, slot * Places::kChunks + color % 4, chunk);
                             }));
  EXPECT_EQ(counted, BankWays{});
  for (const KernelVariant& variant : kHaloRowVariants)
    EXPECT_EQ(bank_ways(variant).stores, counted.stores) << variant.name;
}

// Weights for mma.sync: a matrix of ldmatrix.x4 is eight rows, each 16 bytes, of one chunk; lanes
// bring all of a square matrix, 8 x 8 at a time, each once, and no two of a matrix meet in a bank.
template <bool Transposed, int Octets>
void expect_operand_b() {
  using Places = HaloWeightPlaces;
  std::set<uint32_t> read, written;
  for (int row = 0; row < 8 * Octets; ++row)
    for (int chunk = 0; chunk < Octets; ++chunk)
      written.insert(Places::chunk<Octets>(0, row, row, chunk));
  for (int column_tile = 0; column_tile < Octets; column_tile += 4 / Octets) {
    const auto address = [&](int lane) {
      return Places::operand_b<Transposed, Octets>(0, lane, column_tile);
    };
    EXPECT_EQ(ways(32, 16, address), 1);
    // Matrix m of four gives a thread register m of B: depths 0 to 7, 8 to 15 ... of eight columns,
    // then of the next eight.
    for (int m = 0; m < 4; ++m) {
      const int first_depth = m * 8 % (8 * Octets);
      const int first_column = (column_tile + m * 8 / (8 * Octets)) * 8;
      for (int r = 0; r < 8; ++r) {
        const int row = (Transposed ? first_depth : first_column) + r;
        const int chunk = (Transposed ? first_column : first_depth) / 8;
        EXPECT_EQ(address(8 * m + r), Places::chunk<Octets>(0, row, row, chunk));
      }
    }
    for (int lane = 0; lane < 32; ++lane) read.insert(address(lane));
  }
  EXPECT_EQ(read, written);
}
// Rows of gout: each chunk has a place, and no two of the eight rows of a matrix meet in a bank.
template <int Chunks>
void expect_gout_beside_halos() {
  using Places = HaloWgradPlaces;
  std::set<uint32_t> read, written;
  for (int row = 0; row < maps::kHaloRows; ++row)
    for (int chunk = 0; chunk < Chunks; ++chunk)
      written.insert(Places::gout<Chunks>(0, row, chunk));
  EXPECT_EQ(*written.rbegin(), written.size() * 16 - 16);
  for (int row = 0; row < maps::kHaloRows; row += 16)
    for (int m = 0; m < Chunks / 2; ++m) {
      const auto address = [&](int lane) { return Places::operand_a<Chunks>(0, row, lane, m); };
      EXPECT_EQ(ways(32, 16, address), 1);
      for (int lane = 0; lane < 32; ++lane) read.insert(address(lane));
    }
  EXPECT_EQ(read, written);
}
TEST(Banks, OfGoutBesideHalos) {
  expect_gout_beside_halos<2>();
  expect_gout_beside_halos<4>();
  for (const WgradTile& tile : kWgradTiles)
    if (tile.halos) {
      EXPECT_EQ(bank_ways(tile.variant), bank_ways(kHaloRowVariants[0])) << tile.variant.name;
    }
}

// Each offset has one warp.
TEST(HaloWgradPlaces, HaveEachOffsetOnce) {
  using Places = HaloWgradPlaces;
  for (int volume = 1; volume <= Places::kMostOffsets; ++volume) {
    std::multiset<int> offsets;
    for (int warp = 0; warp < Places::kWarps; ++warp)
      for (int i = 0; i < Places::kOffsetsOfWarp; ++i)
        if (const int offset = Places::offset(volume, warp, i); offset != Places::kNone)
          offsets.insert(offset);
    EXPECT_EQ(offsets.size(), static_cast<size_t>(volume));
    for (int offset = 0; offset < volume; ++offset) EXPECT_EQ(offsets.count(offset), 1u);
  }
}

TEST(Banks, OfWeightsBesideHalos) {
  expect_operand_b<false, 2>();
  expect_operand_b<true, 2>();
  expect_operand_b<false, 4>();
  expect_operand_b<true, 4>();
}

}  // namespace
}  // namespace spb::plans
