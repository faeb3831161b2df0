// SPDX-License-Identifier: Apache-2.0
// Where the kernel of wgrad by wgmma and halos keeps what it copies.
#include <gtest/gtest.h>
#include <set>
#include <utility>

#include "kernels/banks.h"
#include "kernels/wgrad/halo/wgmma/places.h"

namespace spb::plans {
namespace {

// Of wgmma's blocks, for any part of a kernel.
TEST(HaloWgmmaWgradPlaces, HaveEachOffsetOnce) {
  using Places = HaloWgmmaWgradPlaces;
  for (int volume = 1; volume <= Places::kMostOffsets; ++volume) {
    std::multiset<int> offsets;
    for (int part = 0; part < Places::parts(volume); ++part)
      for (int j = 0; j < Places::kOffsetsOfPart; ++j)
        if (const int offset = Places::offset(volume, part, j); offset != Places::kNone)
          offsets.insert(offset);
    EXPECT_EQ(offsets.size(), static_cast<size_t>(volume));
    for (int offset = 0; offset < volume; ++offset) EXPECT_EQ(offsets.count(offset), 1u);
  }
}
// A halo's rows: lanes copy all chunks of four slots, and know in turn which row a slot has; what
// ldmatrix is given are these chunks, of rows of different colors without conflicts.
TEST(HaloWgmmaWgradPlaces, CopyWhatIsRead) {
  using Places = HaloWgmmaWgradPlaces;
  std::set<std::pair<int, int>> copied;
  for (int lane = 0; lane < 32; ++lane) {
    const int row = Places::copied_row(lane), chunk = Places::copied_chunk(lane);
    copied.emplace(row, chunk);
    const auto other = Places::copying(chunk);
    EXPECT_EQ(Places::copied_chunk(other), chunk);
    EXPECT_EQ(Places::copied_row(other), 0);
    EXPECT_EQ(Places::copied_row(static_cast<int>(lane & Places::kRowBits) | other), row);
  }
  EXPECT_EQ(copied.size(), 32u);
  // Slots of colors 0 to 7 in turn, of each parity those that belong there.
  constexpr int kFirst = 8;
  const auto color = [](int slot) { return static_cast<uint32_t>(slot / 2 % 4); };
  std::set<uint32_t> written, read;
  for (int slot = kFirst; slot < kFirst + 16; ++slot)
    for (int chunk = 0; chunk < Places::kChunks; ++chunk)
      written.insert(Places::slot(0, slot, chunk, color(slot)));
  EXPECT_EQ(written.size(), 16u * Places::kChunks);
  EXPECT_EQ(ways(32, 16,
                 [&](int lane) {
                   const int slot = kFirst + Places::copied_row(lane);
                   return Places::slot(0, slot, Places::copied_chunk(lane), color(slot));
                 }),
            1);
  for (int warp = 0; warp < 4; ++warp) {
    const auto address = [&](int lane) {
      const int slot = kFirst + Places::row_a(lane);
      const auto local = static_cast<uint32_t>(slot * maps::kHaloChunks) + color(slot);
      return Places::operand_a(0, local, warp, lane);
    };
    EXPECT_EQ(ways(32, 16, address), 1);
    for (int lane = 0; lane < 32; ++lane) read.insert(address(lane));
  }
  EXPECT_EQ(read, written);
  EXPECT_LE(*written.rbegin(), static_cast<uint32_t>(Places::kLocal) - 16);
}
// A group's rows of gout: each chunk has a place, eight lanes that copy a row meet in no bank.
TEST(HaloWgmmaWgradPlaces, KeepRowsOfGoutApart) {
  using Places = HaloWgmmaWgradPlaces;
  std::set<uint32_t> written;
  for (int row = 0; row < maps::kHaloGroupRows; ++row) {
    for (int chunk = 0; chunk < Places::kChunks; ++chunk) {
      // The 128-byte swizzle of wgmma's operands (PTX ISA).
      EXPECT_EQ(Places::gout(0, row, chunk),
                static_cast<uint32_t>(row * 8 + (chunk ^ row % 8)) * 16);
      written.insert(Places::gout(0, row, chunk));
    }
    EXPECT_EQ(ways(8, 16, [&](int lane) { return Places::gout(0, row, lane); }), 1);
  }
  EXPECT_EQ(written.size(), static_cast<size_t>(Places::kGoutBytes) / 16);
  EXPECT_EQ(*written.rbegin(), static_cast<uint32_t>(Places::kGoutBytes) - 16);
}

}  // namespace
}  // namespace spb::plans
