// SPDX-License-Identifier: Apache-2.0
#include "gpu/amd_caches.h"

#include <fstream>
#include <gtest/gtest.h>
#include <string>

#include "temporary_folder.h"

namespace spb::gpu {
namespace {

namespace fs = std::filesystem;

constexpr int64_t kKilobyte = 1024, kMegabyte = 1024 * kKilobyte;

class AmdCaches : public testing::Test {
 protected:
  void node(const std::string& name, const std::string& properties) const {
    fs::create_directories(nodes_ / name / "caches");
    std::ofstream(nodes_ / name / "properties") << properties;
  }
  void cache(const std::string& of, const std::string& name, int level, int64_t kilobytes) const {
    fs::create_directories(nodes_ / of / "caches" / name);
    std::ofstream(nodes_ / of / "caches" / name / "properties")
        << "processor_id_low 2147487744\nlevel " << level << "\nsize " << kilobytes
        << "\ncache_line_size 128\nsibling_map 1,0,0,\n";
  }
  const TemporaryFolder temporary_;
  const fs::path& nodes_ = temporary_.path();
};

TEST_F(AmdCaches, TheLargestOfTheCardIsTaken) {
  node("0", "cpu_cores_count 64\nsimd_count 0\nlocation_id 0\ndomain 0\n");
  cache("0", "0", 3, 512 * kKilobyte);
  node("1", "cpu_cores_count 0\nsimd_count 1216\nlocation_id 768\ndomain 0\n");  // 03:00.0
  cache("1", "0", 1, 32);
  cache("1", "1", 2, 4096);
  cache("1", "2", 3, 256 * kKilobyte);
  node("2", "simd_count 192\nlocation_id 1024\ndomain 0\n");  // 04:00.0
  cache("2", "0", 3, 96 * kKilobyte);
  EXPECT_EQ(listed_cache_bytes("0000:03:00.0", nodes_), 256 * kMegabyte);
  EXPECT_EQ(listed_cache_bytes("0000:04:00.0", nodes_), 96 * kMegabyte);
  EXPECT_EQ(listed_cache_bytes("0001:03:00.0", nodes_), 0) << "another domain";
  EXPECT_EQ(listed_cache_bytes("0000:05:00.0", nodes_), 0);
  EXPECT_EQ(listed_cache_bytes("0000:00:00.0", nodes_), 0) << "the processor's is not the card's";
  EXPECT_EQ(listed_cache_bytes("of no card", nodes_), 0);
  EXPECT_EQ(listed_cache_bytes("0000:03:00.0", nodes_ / "none"), 0);
}

TEST_F(AmdCaches, PartitionsOfACardAreTheCards) {
  node("1", "location_id 770\ndomain 1\n");  // 1:03:00, node 2 where the function stands
  cache("1", "0", 3, 100);
  node("2", "location_id 805307136\ndomain 1\n");  // the same, node 3 in the highest bits
  cache("2", "0", 3, 200);
  EXPECT_EQ(listed_cache_bytes("0001:03:00.0", nodes_), 200 * kKilobyte);
}

TEST(AmdLastCache, IsTheInfinityCacheEvenWhereNoneIsListed) {
  constexpr int64_t kL2 = 4 * kMegabyte;
  EXPECT_EQ(last_amd_cache_bytes(kL2, 256 * kMegabyte, "gfx942"), 256 * kMegabyte);
  EXPECT_EQ(last_amd_cache_bytes(kL2, kL2, "gfx942"), 256 * kMegabyte) << "an old kernel";
  EXPECT_EQ(last_amd_cache_bytes(kL2, 0, "gfx950"), 256 * kMegabyte) << "no files";
  EXPECT_EQ(last_amd_cache_bytes(6 * kMegabyte, 0, "gfx1100"), 96 * kMegabyte);
  EXPECT_EQ(last_amd_cache_bytes(kL2, 64 * kMegabyte, "gfx1201"), 64 * kMegabyte);
  EXPECT_EQ(last_amd_cache_bytes(8 * kMegabyte, 8 * kMegabyte, "gfx90a"), 8 * kMegabyte)
      << "MI200 has no cache behind its L2";
}

}  // namespace
}  // namespace spb::gpu
