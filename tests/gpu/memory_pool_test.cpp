// SPDX-License-Identifier: Apache-2.0
#include "gpu/memory_pool.h"

#include <gtest/gtest.h>

namespace spb::gpu {
namespace {

void* take(MemoryPool& pool, int64_t bytes) {
  void* block = pool.take(bytes);
  EXPECT_NE(block, nullptr) << pool.refusal();
  return block;
}

TEST(MemoryPool, HandsABlockOutAgain) {
  MemoryPool pool(true);
  void* first = take(pool, 1000);
  void* second = take(pool, 1000);
  EXPECT_NE(first, second);
  pool.give(first, 1000);
  EXPECT_GE(pool.kept_bytes(), 1000);
  EXPECT_EQ(take(pool, 990), first);
  EXPECT_EQ(pool.kept_bytes(), 0);
  pool.give(first, 990);
  pool.give(second, 1000);
}

TEST(MemoryPool, KeepsSizesApart) {
  MemoryPool pool(true);
  void* large = take(pool, 1 << 20);
  pool.give(large, 1 << 20);
  void* small = take(pool, 1 << 10);
  EXPECT_NE(small, large);
  EXPECT_EQ(take(pool, (1 << 20) - 5), large);
  pool.give(small, 1 << 10);
  pool.give(large, (1 << 20) - 5);
}

TEST(MemoryPool, BlocksAreAtMostAnEighthTooLarge) {
  for (int64_t bytes = 4096; bytes < 1 << 16; bytes += 777) {
    MemoryPool pool(true);
    pool.give(take(pool, bytes), bytes);
    EXPECT_GE(pool.kept_bytes(), bytes);
    EXPECT_LE(pool.kept_bytes(), bytes + bytes / 8);
  }
}

TEST(MemoryPool, ReturnsEverythingBeforeItRefuses) {
  MemoryPool pool(true);
  pool.give(take(pool, 5000), 5000);
  EXPECT_EQ(pool.take(int64_t{1} << 50), nullptr);
  EXPECT_STRNE(pool.refusal(), "");
  EXPECT_EQ(pool.kept_bytes(), 0);
}

TEST(MemoryPool, WithoutKeepingHoldsNothing) {
  MemoryPool pool(false);
  pool.give(take(pool, 5000), 5000);
  EXPECT_EQ(pool.kept_bytes(), 0);
}

}  // namespace
}  // namespace spb::gpu
