// SPDX-License-Identifier: Apache-2.0
#include "bench/peaks.h"

#include <gtest/gtest.h>
#include <set>

#include "bench/dense_gemm.h"
#include "bench/probe_memory.h"
#include "bench/random_fill.h"
#include "gpu/buffer.h"

namespace spb::bench {
namespace {

class Probes : public testing::Test {
 protected:
  gpu::Buffer<float> buffer(int64_t size) { return {allocator_, size, gpu::Tag::input}; }
  gpu::Stream stream_;
  gpu::Allocator allocator_;
};

TEST_F(Probes, RandomFillIsUniformAndRepeatable) {
  gpu::Buffer<float> data = buffer(100'000), again = buffer(100'000);
  random_fill(Dtype::f32, data.data(), data.size(), 7, stream_);
  random_fill(Dtype::f32, again.data(), again.size(), 7, stream_);
  const std::vector<float> values = data.download(stream_);
  EXPECT_EQ(values, again.download(stream_));
  double sum = 0, squares = 0;
  for (const float value : values) {
    ASSERT_GE(value, -1);
    ASSERT_LT(value, 1);
    sum += value;
    squares += double{value} * value;
  }
  EXPECT_NEAR(sum / 100'000, 0, 0.01);
  EXPECT_NEAR(squares / 100'000, 1.0 / 3, 0.01);
}

TEST_F(Probes, CopyCopiesEverything) {
  // No multiple of what a block takes.
  gpu::Buffer<float> from = buffer(100'004), to = buffer(100'004);
  random_fill(Dtype::f32, from.data(), from.size(), 1, stream_);
  queue_copy(from.data(), to.data(), from.bytes(), stream_);
  EXPECT_EQ(from.download(stream_), to.download(stream_));
}

TEST_F(Probes, MedianRunsAsOftenAsItSays) {
  int calls = 0;
  const double time_us = median_us(
      stream_, [&] { ++calls; }, 20);
  EXPECT_GE(time_us, 0);
  EXPECT_EQ(calls, 23);
}

TEST(DenseProduct, IsMeasuredOnWhatAGibibyteHolds) {
  EXPECT_EQ(dense_gemm_rows(Dtype::f32, 1000, 8, 8), 1000);
  EXPECT_EQ(dense_gemm_rows(Dtype::f32, 1 << 24, 1, 16), (1 << 30) / (16 * 4 + 4));
  EXPECT_EQ(dense_gemm_rows(Dtype::f16, 1 << 24, 1, 16), 1 << 24) << "36 bytes a row";
  EXPECT_EQ(dense_gemm_rows(Dtype::f16, 1 << 24, 1 << 21, 1 << 21), 128) << "12 MiB a row";
}

TEST_F(Probes, DenseProductStaysWithinAGibibyte) {
  EXPECT_EQ(dense_gemm_us(Dtype::f32, 0, 8, 8, allocator_, stream_), 0);
  EXPECT_GT(dense_gemm_us(Dtype::f32, 1 << 24, 1, 16, allocator_, stream_), 0);
  EXPECT_LT(allocator_.counts().peak_bytes, (int64_t{1} << 30) + (int64_t{64} << 20));
  EXPECT_EQ(allocator_.counts().live_bytes, 0);
}

}  // namespace
}  // namespace spb::bench
