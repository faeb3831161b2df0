// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/widen.h"

#include <cmath>
#include <gtest/gtest.h>
#include <vector>

#include "core/storage.h"
#include "gpu/buffer.h"

namespace spb::plans {
namespace {

TEST(Widen, EveryByteIsTheSameNumber) {
  constexpr int kBytes = 256;
  // One word, and more than a block.
  for (const int64_t count : {4, 256, 5 * 1024 + 12}) {
    const gpu::Stream stream;
    gpu::Allocator allocator(gpu::Guards::page());
    std::vector<std::byte> host(static_cast<size_t>(count));
    for (size_t i = 0; i < host.size(); ++i) host[i] = static_cast<std::byte>(i % kBytes);
    gpu::Buffer<std::byte> in(allocator, count, gpu::Tag::input);
    gpu::Buffer<std::byte> out(allocator, 2 * count, gpu::Tag::workspace);
    in.upload(host, stream);
    widen_e4m3(in.data(), count, out.data(), stream);
    const std::vector<std::byte> found = out.download(stream);
    std::vector<float> want(host.size()), got(host.size());
    decode(host.data(), Storage::e4m3, want);
    decode(found.data(), Storage::bf16, got);
    for (size_t i = 0; i < want.size(); ++i) {
      ASSERT_EQ(std::isnan(got[i]), std::isnan(want[i])) << i;
      if (std::isnan(want[i])) continue;
      ASSERT_EQ(got[i], want[i]) << i;
      ASSERT_EQ(std::signbit(got[i]), std::signbit(want[i])) << i;
    }
    EXPECT_TRUE(allocator.damaged_guards(stream).empty());
  }
}

}  // namespace
}  // namespace spb::plans
