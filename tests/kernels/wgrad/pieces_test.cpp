// SPDX-License-Identifier: Apache-2.0
#include "kernels/wgrad/pieces.h"

#include <cstddef>
#include <gtest/gtest.h>
#include <span>
#include <string>
#include <vector>

#include "gpu/buffer.h"
#include "kernels/wgrad/expand.h"

namespace spb::plans {
namespace {

/// As the device makes them, of runs and sums in its memory or in the host's.
struct Made {
  WgradPieceList list;
  std::vector<WgradSum> sums;
};
Made made(const WgradSchedule& schedule, int tile_k, bool posted) {
  const gpu::Stream stream;
  gpu::Allocator allocator;
  const auto runs = std::as_bytes(std::span(schedule.runs));
  const auto sums = std::as_bytes(std::span(schedule.sums));
  std::vector<std::byte> bytes(runs.begin(), runs.end());
  bytes.insert(bytes.end(), sums.begin(), sums.end());
  gpu::Buffer<std::byte> sent(allocator, int64_t(bytes.size()), gpu::Tag::workspace);
  gpu::Buffer<WgradPiece> pieces(allocator, schedule.pieces, gpu::Tag::plan);
  gpu::Buffer<int32_t> blocks(allocator, schedule.blocks + 1, gpu::Tag::plan);
  gpu::Buffer<WgradSum> copy(allocator, int64_t(schedule.sums.size()), gpu::Tag::plan);
  const void* from = sent.data();
  if (posted)
    from = stream.post(bytes.data(), int64_t(bytes.size()));
  else
    sent.upload(bytes, stream);
  const auto* sums_from = static_cast<const std::byte*>(from) + runs.size();
  write_pieces(
      {static_cast<const WgradPieceRun*>(from), reinterpret_cast<const WgradSum*>(sums_from),
       int32_t(schedule.runs.size()), schedule.pieces, schedule.blocks,
       int32_t(schedule.sums.size()), tile_k, pieces.data(), blocks.data(), copy.data()},
      stream);
  return {{pieces.download(stream), blocks.download(stream)}, copy.download(stream)};
}

bool is_same(const WgradSum& a, const WgradSum& b) {
  return a.offset == b.offset && a.tile == b.tile && a.first_slice == b.first_slice &&
         a.slices == b.slices && a.group == b.group;
}
bool is_same(const WgradPiece& a, const WgradPiece& b) {
  return a.begin == b.begin && a.end == b.end && a.run == b.run && a.pitch == b.pitch &&
         a.steps == b.steps && a.offset == b.offset && a.tile == b.tile && a.slice == b.slice &&
         a.list_begin == b.list_begin && a.group == b.group;
}

void expect_as_expanded(const WgradSchedule& schedule, int tile_k) {
  const WgradPieceList wanted = expand(schedule, tile_k);
  for (const bool posted : {false, true}) {
    const auto [list, sums] = made(schedule, tile_k, posted);
    EXPECT_EQ(list.block_pieces, wanted.block_pieces);
    ASSERT_EQ(list.pieces.size(), wanted.pieces.size());
    for (size_t p = 0; p < wanted.pieces.size(); ++p)
      ASSERT_TRUE(is_same(list.pieces[p], wanted.pieces[p])) << "piece " << p;
    ASSERT_EQ(sums.size(), schedule.sums.size());
    for (size_t s = 0; s < sums.size(); ++s)
      ASSERT_TRUE(is_same(sums[s], schedule.sums[s])) << "sum " << s;
  }
}

// Whole units, ranges and turns; several pieces a block, blocks that are left out; more runs than a
// block of threads takes at a time.
TEST(WgradPieces, DeviceListsThemBlockByBlock) {
  const std::vector<int64_t> begins{0, 20000, 80001, 100001};
  const WgradWork works[] = {
      {{0}, 1, 32},
      {{100, 0, 33, 5000, 31, 32}, 3, 32},
      {{20000, 60001, 20000, 900000}, 2, 32, 1, begins},
      {{90, 95, 192, 95, 90}, 32, 32},
      {{3000, 3001, 2999, 40000}, 6, 16, 3},
      {std::vector<int64_t>(27, 131000), 1, 32},
      {std::vector<int64_t>(27, 900), 20, 32},
  };
  for (const WgradWork& work : works) {
    expect_as_expanded(whole_units(work), work.tile_k);
    for (const int blocks : {1, 7, 132, 1320}) {
      SCOPED_TRACE(std::to_string(work.pairs[0]) + ", " + std::to_string(blocks) + " blocks");
      expect_as_expanded(split_units(work, blocks), work.tile_k);
    }
  }
}

}  // namespace
}  // namespace spb::plans
