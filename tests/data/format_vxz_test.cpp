// SPDX-License-Identifier: Apache-2.0
#include <lzma.h>

#include "data/temp_file.h"

namespace spb::data {
namespace {

std::string lzma2(std::string_view bytes) {
  lzma_options_lzma options;
  lzma_lzma_preset(&options, 9);
  const lzma_filter filters[] = {{LZMA_FILTER_LZMA2, &options}, {LZMA_VLI_UNKNOWN, nullptr}};
  std::string packed(bytes.size() + 100, '\0');
  size_t size = 0;
  EXPECT_EQ(lzma_raw_buffer_encode(filters, nullptr, reinterpret_cast<const uint8_t*>(bytes.data()),
                                   bytes.size(), reinterpret_cast<uint8_t*>(packed.data()), &size,
                                   packed.size()),
            LZMA_OK);
  packed.resize(size);
  return packed;
}

/// A file of one chunk of 4^3 cells at (1, 0, 2), whose attribute is one byte.
std::string vxz(std::string_view octree, int voxels, const std::string& compression = "lzma",
                int chunk_size = 4, const std::string& more_chunks = {}) {
  const std::string packed = compression == "lzma" ? lzma2(octree) : std::string(octree);
  const std::string size = std::to_string(packed.size());
  const std::string json =
      "{\"num_voxel\": " + std::to_string(voxels) +
      ", \"chunk_size\": " + std::to_string(chunk_size) + ", \"compression\": \"" + compression +
      "\", \"attr\": [[\"occ\", 1]], \"chunks\": [{\"idx\": [1, 0, 2], \"svo\": [0, " + size +
      "], \"occ\": [" + size + ", 1], \"ptr\": [0, " + std::to_string(packed.size() + 1) + "]}" +
      more_chunks + "]}";
  return std::string("VXZ\0", 4) + raw(static_cast<uint32_t>(8 + json.size()), true) + json +
         packed + "!";
}

// Root: children (0,0,0) and (1,1,0); in the first, (0,0,1); in the second, (0,0,0) and (1,0,0).
constexpr std::string_view kOctree = "\x41\x02\x11";

TEST(Vxz, ReadsOctrees) {
  for (const char* compression : {"lzma", "none"}) {
    const PointCloud cloud = read_bytes(".vxz", vxz(kOctree, 3, compression));
    EXPECT_TRUE(cloud.is_coords);
    EXPECT_EQ(cloud.coords, (std::vector<Coord>{{0, 4, 0, 9}, {0, 6, 2, 8}, {0, 7, 2, 8}}));
  }
}

TEST(Vxz, EveryTruncationIsRefused) {
  const std::string bytes = vxz(kOctree, 3);
  expect_truncations_refused(".vxz", bytes, bytes.size());
}

TEST(Vxz, DamageIsNamed) {
  EXPECT_TRUE(contains(read_error(".vxz", vxz(kOctree, 4)), "num_voxel is 4"));
  EXPECT_TRUE(contains(read_error(".vxz", vxz(kOctree, 2)), "more voxels"));
  EXPECT_TRUE(contains(read_error(".vxz", vxz("\x41\x02", 3)), "ends inside a branch"));
  EXPECT_TRUE(contains(read_error(".vxz", vxz("\x41\x02\x11\x01", 3)), "bytes behind its last"));
  EXPECT_TRUE(contains(read_error(".vxz", vxz(std::string_view("\0", 1), 0)), "without children"));
  EXPECT_TRUE(
      contains(read_error(".vxz", vxz(std::string(100, '\1'), 3)), "bytes behind its last"));
  EXPECT_TRUE(contains(read_error(".vxz", vxz(kOctree, 3, "zstd")), "\"zstd\" is not supported"));
  EXPECT_TRUE(contains(read_error(".vxz", vxz(kOctree, 3, "lzma", 5)), "power of two"));
  EXPECT_TRUE(contains(read_error(".vxz", vxz(kOctree, -1)), "num_voxel is -1"));
  EXPECT_TRUE(contains(read_error(".vxz", vxz(kOctree, 3, "lzma", 1 << 20)), "chunk_size"));
  const std::string same = ", {\"idx\": [1, 0, 2], \"svo\": [0, 1], \"ptr\": [0, 1]}";
  EXPECT_TRUE(contains(read_error(".vxz", vxz(kOctree, 3, "lzma", 4, same)), "same idx"));
  const std::string outside = ", {\"idx\": [0, 0, 2], \"svo\": [0, 1], \"ptr\": [0, 999]}";
  EXPECT_TRUE(contains(read_error(".vxz", vxz(kOctree, 3, "lzma", 4, outside)), "ptr size"));
  std::string bytes = vxz(kOctree, 3);
  bytes[3] = 1;
  EXPECT_TRUE(contains(read_error(".vxz", bytes), "version 1"));
  bytes[0] = 'Y';
  EXPECT_TRUE(contains(read_error(".vxz", bytes), "does not start with VXZ"));
}

TEST(Vxz, EveryDamagedByteIsReadOrRefused) {
  const std::string good = vxz(kOctree, 3);
  const TempFile file(".vxz");
  for (size_t at = 0; at < good.size(); ++at)
    for (const int change : {1, 0x80, 0xff}) {
      std::string bytes = good;
      bytes[at] = static_cast<char>(bytes[at] ^ change);
      file.write(bytes);
      try {
        read_file(file.path());
      } catch (const Error& error) {
        EXPECT_EQ(error.code(), ExitCode::runtime) << error.what();
      }
    }
}

TEST(Vxz, OctreesOfMoreThanOnePieceAreRead) {
  // All of the cells: 37,449 nodes in one piece, 299,593 in several.
  for (const int depth : {6, 7}) {
    const std::string nodes(((size_t{1} << (3 * depth)) - 1) / 7, '\xff');
    for (const char* compression : {"lzma", "none"})
      EXPECT_EQ(
          read_bytes(".vxz", vxz(nodes, 1 << (3 * depth), compression, 1 << depth)).coords.size(),
          size_t{1} << (3 * depth));
  }
}

TEST(Vxz, StreamsThatUnfoldToMoreAreCutShort) {
  // 64 MiB of some kilobytes: the header's two voxels end it, not the octree's depth.
  const std::string bytes = vxz(std::string(64 << 20, '\xff'), 2, "lzma", 1 << 16);
  EXPECT_LT(bytes.size(), 100'000u);
  EXPECT_TRUE(contains(read_error(".vxz", bytes), "more voxels than the header's num_voxel, 2"));
}

TEST(Vxz, NumbersOfTheHeaderAreWholeAndTheHeaderIsFlat) {
  const std::string good = vxz(kOctree, 3);
  const size_t json = good.find('{'), data = good.find("]}]}") + 4;
  const auto with = [&](const std::string& from, const std::string& to) {
    std::string text = good.substr(json, data - json);
    text.replace(text.find(from), from.size(), to);
    return good.substr(0, 4) + raw(static_cast<uint32_t>(8 + text.size()), true) + text +
           good.substr(data);
  };
  EXPECT_EQ(read_error(".vxz", with("[1, 0, 2]", "[1, 0, 2]")), "accepted");
  EXPECT_TRUE(contains(read_error(".vxz", with("[1, 0, 2]", "[1, 0, 2.0]")), "idx is 2.0"));
  EXPECT_TRUE(contains(read_error(".vxz", with("[1, 0, 2]", "[1, 0, 9223372036854775808]")),
                       "chunk idx is 9223372036854775808"));
  EXPECT_TRUE(contains(read_error(".vxz", with("[1, 0, 2]", "[1, 0, 99999999999999999999]")),
                       "chunk idx is 1e+20"));
  EXPECT_TRUE(contains(read_error(".vxz", with("[[\"occ\", 1]]", std::string(10'000, '['))),
                       "nests lists and objects deeper"));
}

}  // namespace
}  // namespace spb::data
