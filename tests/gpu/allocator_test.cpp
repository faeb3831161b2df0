// SPDX-License-Identifier: Apache-2.0
#include "gpu/allocator.h"

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "core/error.h"
#include "gpu/buffer.h"

namespace spb::gpu {
namespace {

TEST(Allocator, CountsRequestedBytesByTag) {
  Stream stream;
  Allocator memory(Guards::page());
  Buffer<float> a(memory, 100, Tag::input);
  {
    Buffer<uint8_t> b(memory, 7, Tag::plan);
    EXPECT_EQ(memory.counts().live_bytes, 407);
    EXPECT_EQ(memory.counts().live_by_tag[static_cast<int>(Tag::plan)], 7);
  }
  const MemoryCounts counts = memory.counts();
  EXPECT_EQ(counts.live_bytes, 400);
  EXPECT_EQ(counts.peak_bytes, 407);
  EXPECT_EQ(counts.peak_by_tag[static_cast<int>(Tag::plan)], 7);
  EXPECT_EQ(counts.live_by_tag[static_cast<int>(Tag::plan)], 0);
  EXPECT_EQ(counts.allocations, 2);
  memory.reset_peaks();
  EXPECT_EQ(memory.counts().peak_bytes, 400);
  EXPECT_EQ(memory.counts().peak_by_tag[static_cast<int>(Tag::plan)], 0);
  EXPECT_EQ(memory.counts().allocations, 0);
}

// Not as the few bytes that are left of the product in 64 bits.
TEST(Allocator, RefusesSizesBeyond64Bits) {
  Allocator memory;
  EXPECT_THROW(Buffer<int64_t>(memory, int64_t{1} << 61, Tag::plan), OutOfMemory);
  EXPECT_THROW(Buffer<int32_t>(memory, int64_t{1} << 62, Tag::plan), OutOfMemory);
  EXPECT_EQ(bytes_of(int64_t{1} << 60, 4), int64_t{1} << 62);
  EXPECT_EQ(memory.counts().allocations, 0);
}

// Whatever a pool does below: records state the bytes that were asked for.
TEST(Allocator, CountsDoNotDependOnReuse) {
  Allocator memory;
  for (int i = 0; i < 3; ++i) {
    memory.reset_peaks();
    Buffer<uint8_t> kept(memory, 1001, Tag::plan);
    { Buffer<uint8_t> scratch(memory, 777, Tag::workspace); }
    Buffer<uint8_t> next(memory, 776, Tag::plan);
    EXPECT_EQ(memory.counts().live_bytes, 1777);
    EXPECT_EQ(memory.counts().peak_bytes, 1778);
    EXPECT_EQ(memory.counts().peak_by_tag[static_cast<int>(Tag::workspace)], 777);
    EXPECT_EQ(memory.counts().allocations, 3);
  }
  EXPECT_EQ(memory.counts().live_bytes, 0);
}

TEST(Allocator, ZeroBytesAreLegalAndDistinct) {
  Stream stream;
  Allocator memory(Guards::page());
  Buffer<float> a(memory, 0, Tag::input), b(memory, 0, Tag::input);
  EXPECT_NE(a.data(), b.data());
  EXPECT_TRUE(a.download(stream).empty());
  EXPECT_TRUE(memory.damaged_guards(stream).empty());
  EXPECT_EQ(memory.counts().live_bytes, 0);
}

TEST(Allocator, GuardsTellAStrayWrite) {
  Stream stream;
  Allocator memory(Guards::page());
  Buffer<uint8_t> buffer(memory, 1001, Tag::output);
  fill_bytes(buffer.data(), 0, 1001, stream);
  EXPECT_TRUE(memory.damaged_guards(stream).empty());

  fill_bytes(buffer.data() + 1001 + 3, 0, 1, stream);
  std::vector<GuardDamage> damage = memory.damaged_guards(stream);
  ASSERT_EQ(damage.size(), 1u);
  EXPECT_EQ(damage[0].tag, Tag::output);
  EXPECT_EQ(damage[0].buffer_bytes, 1001);
  EXPECT_EQ(damage[0].offset, 1004);

  fill_bytes(buffer.data() - 1, 0, 1, stream);
  damage = memory.damaged_guards(stream);
  ASSERT_EQ(damage.size(), 2u);
  EXPECT_EQ(damage[0].offset, -1);
}

// A tile of rows may lie in front of or behind a buffer as a whole.
TEST(Allocator, GuardsAreAsWideAsAsked) {
  Stream stream;
  const Guards wide = Guards::beyond(3 * Guards::kPage + 1);
  EXPECT_EQ(wide.bytes, 4 * Guards::kPage);
  EXPECT_EQ(Guards::beyond(0).bytes, Guards::kPage);
  Allocator memory(wide);
  Buffer<uint8_t> buffer(memory, 10, Tag::plan);
  fill_bytes(buffer.data() - wide.bytes, 0, 1, stream);
  fill_bytes(buffer.data() + 10 + wide.bytes - 1, 0, 1, stream);
  const std::vector<GuardDamage> damage = memory.damaged_guards(stream);
  ASSERT_EQ(damage.size(), 2u);
  EXPECT_EQ(damage[0].offset, -wide.bytes);
  EXPECT_EQ(damage[1].offset, 10 + wide.bytes - 1);
}

TEST(Allocator, GuardsAreLookedAtInEveryPart) {
  Stream stream;
  Allocator memory(Guards::page());
  Buffer<uint8_t> buffer(memory, 10, Tag::plan);
  const auto* word = reinterpret_cast<const uint8_t*>(&Allocator::kGuardWord);
  // Steps shorter than what a thread looks at, over bytes of either half of a word.
  for (int64_t at = 0; at < Guards::kPage; at += 31) {
    uint8_t* stray = buffer.data() + 10 + at;
    fill_bytes(stray, static_cast<uint8_t>(word[at % 2] ^ 1), 1, stream);
    const std::vector<GuardDamage> damage = memory.damaged_guards(stream);
    ASSERT_EQ(damage.size(), 1u) << at;
    EXPECT_EQ(damage[0].offset, 10 + at);
    fill_bytes(stray, word[at % 2], 1, stream);
  }
  EXPECT_TRUE(memory.damaged_guards(stream).empty());
}

// Nor is what an earlier buffer left there.
TEST(Allocator, FreshMemoryIsNoZeroUnderGuards) {
  Stream stream;
  Allocator memory(Guards::page());
  for (int i = 0; i < 2; ++i) {
    Buffer<uint8_t> buffer(memory, 77, Tag::plan);
    EXPECT_EQ(buffer.download(stream), std::vector<uint8_t>(77, Allocator::kFreshByte));
    fill_bytes(buffer.data(), 0, 77, stream);
  }
}

TEST(Allocator, PoisonFillsOneTag) {
  Stream stream;
  Allocator memory(Guards::page());
  Buffer<uint8_t> output(memory, 33, Tag::output), input(memory, 33, Tag::input);
  fill_bytes(input.data(), 5, 33, stream);
  memory.poison(Tag::output, 0xFF, stream);
  EXPECT_EQ(output.download(stream), std::vector<uint8_t>(33, 0xFF));
  EXPECT_EQ(input.download(stream), std::vector<uint8_t>(33, 5));
  EXPECT_TRUE(memory.damaged_guards(stream).empty());
}

TEST(Allocator, ContentHashSeesEveryByteOfItsTag) {
  Stream stream;
  Allocator memory;
  constexpr int64_t n = (16 << 20) + 13;  // more than the hash reads at once, and a tail
  Buffer<uint8_t> big(memory, n, Tag::input), other(memory, 8, Tag::output);
  fill_bytes(big.data(), 1, n, stream);
  const uint64_t hash = memory.content_hash(Tag::input, stream);
  fill_bytes(other.data(), 9, 8, stream);
  EXPECT_EQ(memory.content_hash(Tag::input, stream), hash);
  for (const int64_t i : {int64_t{0}, int64_t{7}, int64_t{16 << 20}, n - 1}) {
    fill_bytes(big.data() + i, 2, 1, stream);
    EXPECT_NE(memory.content_hash(Tag::input, stream), hash) << i;
    fill_bytes(big.data() + i, 1, 1, stream);
    EXPECT_EQ(memory.content_hash(Tag::input, stream), hash) << i;
  }
}

TEST(Allocator, ExhaustionNamesBytesAndTag) {
  Allocator memory;
  try {
    memory.allocate(int64_t{1} << 50, Tag::workspace);
    FAIL() << "a pebibyte was granted";
  } catch (const Error& error) {
    EXPECT_EQ(error.code(), ExitCode::runtime);
    const std::string text = error.what();
    EXPECT_NE(text.find("1125899906842624 bytes"), std::string::npos) << text;
    EXPECT_NE(text.find("workspace"), std::string::npos) << text;
  }
  Buffer<float> after(memory, 10, Tag::input);
  EXPECT_EQ(memory.counts().live_bytes, 40);
}

TEST(Buffer, MovesOwnership) {
  Stream stream;
  Allocator memory;
  Buffer<int32_t> a(memory, 3, Tag::input);
  a.upload(std::vector<int32_t>{1, 2, 3}, stream);
  Buffer<int32_t> b = std::move(a);
  Buffer<int32_t> c(memory, 1, Tag::input);
  c = std::move(b);
  EXPECT_EQ(c.download(stream), (std::vector<int32_t>{1, 2, 3}));
  EXPECT_EQ(memory.counts().live_bytes, 12);
}

}  // namespace
}  // namespace spb::gpu
