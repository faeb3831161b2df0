// SPDX-License-Identifier: Apache-2.0
#include "gpu/stream.h"

#include <algorithm>
#include <gtest/gtest.h>
#include <numeric>
#include <string>
#include <vector>

#include "gpu/buffer.h"
#include "gpu/outbox.h"

namespace spb::gpu {
namespace {

TEST(Stream, CountsTheWaitsOfTheHost) {
  const Stream stream;
  EXPECT_EQ(stream.waits(), 0);
  stream.synchronize();
  Allocator allocator;
  Buffer<int32_t> buffer(allocator, 3, Tag::plan);
  buffer.upload(std::vector<int32_t>{1, 2, 3}, stream);
  EXPECT_EQ(buffer.download(stream), (std::vector<int32_t>{1, 2, 3}));
  EXPECT_EQ(stream.waits(), 3);
}

// Each would overwrite the other where it did not wait: ten fills take longer than one.
TEST(Stream, ForkBeginsBehindWhatIsQueuedAndEndsBeforeWhatFollows) {
  constexpr int64_t kBytes = 32 << 20;
  const Stream stream;
  Allocator allocator;
  Buffer<uint8_t> buffer(allocator, kBytes, Tag::plan);
  const auto fill = [&](uint8_t byte, int times, const Stream& on) {
    for (int i = 0; i < times; ++i) fill_bytes(buffer.data(), byte, kBytes, on);
  };
  const auto all_are = [&](uint8_t byte) {
    return std::ranges::count(buffer.download(stream), byte) == kBytes;
  };
  for (int round = 0; round < 3; ++round) {
    fill(1, 10, stream);
    Fork first(stream);
    fill(2, 1, first.stream());
    first.join();
    EXPECT_TRUE(all_are(2));
    { fill(3, 10, Fork(stream).stream()); }  // joins as it goes
    fill(4, 1, stream);
    EXPECT_TRUE(all_are(4));
    Fork twice(stream);
    fill(5, 1, twice.stream());
    twice.join();
    fill(6, 10, twice.stream());
    twice.join();
    fill(7, 1, stream);
    EXPECT_TRUE(all_are(7));
  }
}

struct Notes : Stream::WaitHook {
  std::string seen;
  void before() override { seen += "before "; }
  void after() override { seen += "after "; }
};

TEST(Stream, TellsOfItsWaits) {
  const Stream stream;
  Notes notes;
  stream.set_wait_hook(&notes);
  stream.synchronize();
  EXPECT_EQ(notes.seen, "before after ");
  stream.set_wait_hook(nullptr);
  stream.synchronize();
  EXPECT_EQ(notes.seen, "before after ");
}

TEST(Stream, AWaitForAMarkCountsAndTellsAsOthersDo) {
  const Stream stream;
  stream.wait_for_mark();  // without one there is nothing to wait for
  EXPECT_EQ(stream.waits(), 1);
  Allocator allocator;
  Buffer<int32_t> buffer(allocator, 3, Tag::plan);
  fill_bytes(buffer.data(), 1, 2 * sizeof(int32_t), stream);
  stream.mark();
  fill_bytes(buffer.data() + 2, 2, sizeof(int32_t), stream);
  Notes notes;
  stream.set_wait_hook(&notes);
  stream.wait_for_mark();
  stream.set_wait_hook(nullptr);
  EXPECT_EQ(notes.seen, "before after ");
  EXPECT_EQ(stream.waits(), 2);
  EXPECT_EQ(buffer.download(stream), (std::vector<int32_t>{0x1010101, 0x1010101, 0x2020202}));
}

// Each array is overwritten at once, and together they are more than the outbox holds.
TEST(Stream, SendsWithoutWaiting) {
  constexpr int64_t kSize = Outbox::kBytes / int64_t{sizeof(int32_t)};
  const Stream stream;
  Allocator allocator;
  std::vector<int32_t> host;
  std::vector<Buffer<int32_t>> sent;
  const std::vector<int64_t> sizes{0, 1, 1000, kSize / 2, kSize, 2 * kSize + 5, 3};
  for (const int64_t size : sizes) {
    host.resize(static_cast<size_t>(size));
    std::iota(host.begin(), host.end(), static_cast<int32_t>(size));
    sent.emplace_back(allocator, size, Tag::plan).send(host, stream);
    std::fill(host.begin(), host.end(), -1);
  }
  EXPECT_EQ(stream.waits(), 0);
  for (size_t i = 0; i < sizes.size(); ++i) {
    host.resize(static_cast<size_t>(sizes[i]));
    std::iota(host.begin(), host.end(), static_cast<int32_t>(sizes[i]));
    EXPECT_EQ(sent[i].download(stream), host);
  }
}

// What was posted stays until it is read, though it is more than the outbox holds and what reads it
// waits behind long work.
TEST(Stream, PostsStayUntilTheyAreRead) {
  constexpr int64_t kSize = Outbox::kBytes / int64_t{sizeof(int32_t)} / 3, kPosts = 10;
  const Stream stream;
  Allocator allocator;
  Buffer<uint8_t> long_work(allocator, int64_t{64} << 20, Tag::workspace);
  std::vector<int32_t> host(static_cast<size_t>(kSize));
  std::vector<Buffer<int32_t>> read;
  for (int32_t i = 0; i < kPosts; ++i) read.emplace_back(allocator, kSize, Tag::plan);
  for (int i = 0; i < 20; ++i)
    fill_bytes(long_work.data(), static_cast<uint8_t>(i), long_work.bytes(), stream);
  for (int32_t i = 0; i < kPosts; ++i) {
    std::iota(host.begin(), host.end(), i);
    Buffer<int32_t>& to = read[static_cast<size_t>(i)];
    transfer(to.data(), stream.post(host.data(), to.bytes()), to.bytes(), stream);
    std::fill(host.begin(), host.end(), -1);
  }
  EXPECT_EQ(stream.waits(), 0);
  for (int32_t i = 0; i < kPosts; ++i) {
    std::iota(host.begin(), host.end(), i);
    EXPECT_EQ(read[static_cast<size_t>(i)].download(stream), host) << i;
  }
}

TEST(Stream, PostsNoMoreThanTheOutboxHolds) {
  const Stream stream;
  const std::vector<uint8_t> host(static_cast<size_t>(Outbox::kBytes) + 1);
  EXPECT_NO_THROW(stream.post(host.data(), Outbox::kBytes));
  EXPECT_THROW(stream.post(host.data(), Outbox::kBytes + 1), Error);
}

// A kernel takes whole words, then the bytes that are left; what lies behind stays.
TEST(Stream, SendsAnyNumberOfBytes) {
  const Stream stream;
  Allocator allocator;
  for (const int64_t size : {1, 15, 16, 17, 4099}) {
    std::vector<uint8_t> host(static_cast<size_t>(size));
    std::iota(host.begin(), host.end(), uint8_t{1});
    Buffer<uint8_t> sent(allocator, size + 16, Tag::plan);
    fill_bytes(sent.data(), 0xEE, sent.bytes(), stream);
    sent.send(host, stream);
    host.resize(static_cast<size_t>(size + 16), 0xEE);
    EXPECT_EQ(sent.download(stream), host) << size;
  }
}

}  // namespace
}  // namespace spb::gpu
