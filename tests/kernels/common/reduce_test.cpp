// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/reduce.h"

#include <gtest/gtest.h>
#include <vector>

#include "gpu/buffer.h"

namespace spb::plans {
namespace {

/// Counts that are and are not read four at a time.
struct Reduce : testing::TestWithParam<int> {
  static constexpr int kColumns = 5;
  int count() const { return GetParam() * kColumns; }
  std::vector<float> ramp(int size, float step) const {
    std::vector<float> values;
    for (int i = 0; i < size; ++i) values.push_back(step * static_cast<float>(i % 37 - 18));
    return values;
  }
};

TEST_P(Reduce, AddsSlicesAndBias) {
  constexpr int kSplit = 3;
  gpu::Stream stream;
  gpu::Allocator memory;
  gpu::Buffer<float> partials(memory, kSplit * count(), gpu::Tag::workspace);
  gpu::Buffer<float> bias(memory, kColumns, gpu::Tag::weight),
      out(memory, count(), gpu::Tag::output);
  const std::vector<float> values = ramp(kSplit * count(), 0.5f), of_column = ramp(kColumns, 3);
  partials.upload(values, stream);
  bias.upload(of_column, stream);
  for (const bool biased : {false, true}) {
    reduce_partials(Dtype::f32, partials.data(), kSplit, count(), kColumns,
                    {.bias = biased ? bias.data() : nullptr}, out.data(), stream);
    const std::vector<float> sums = out.download(stream);
    for (int i = 0; i < count(); ++i)
      ASSERT_EQ(sums[i], values[i] + values[count() + i] + values[2 * count() + i] +
                             (biased ? of_column[i % kColumns] : 0))
          << i;
  }
  EXPECT_EQ(partials.download(stream), values);
}

TEST_P(Reduce, RoundedSumsBecomeZeros) {
  gpu::Stream stream;
  gpu::Allocator memory;
  gpu::Buffer<float> sums(memory, count(), gpu::Tag::plan);
  gpu::Buffer<uint16_t> out(memory, count(), gpu::Tag::output);
  const std::vector<float> values = ramp(count(), 1.0f / 3);
  sums.upload(values, stream);
  round_sums(Dtype::f16, sums.data(), count(), kColumns, {}, out.data(), stream);
  const std::vector<uint16_t> rounded = out.download(stream);
  for (int i = 0; i < count(); ++i) ASSERT_EQ(rounded[i], encode_f16(values[i])) << i;
  EXPECT_EQ(sums.download(stream), std::vector<float>(values.size()));
}

TEST_P(Reduce, EpiloguesComeBehindAllSlices) {
  constexpr int kSplit = 2;
  gpu::Stream stream;
  gpu::Allocator memory;
  gpu::Buffer<float> partials(memory, kSplit * count(), gpu::Tag::workspace);
  gpu::Buffer<uint16_t> residual(memory, count(), gpu::Tag::input),
      out(memory, count(), gpu::Tag::output);
  const std::vector<float> values = ramp(kSplit * count(), 0.5f), added = ramp(count(), 2);
  partials.upload(values, stream);
  std::vector<uint16_t> stored;
  for (const float value : added) stored.push_back(encode_f16(value));
  residual.upload(stored, stream);
  reduce_partials(
      Dtype::f16, partials.data(), kSplit, count(), kColumns,
      {.residual = residual.data(), .activation = Activation::leaky_relu, .slope = 0.5f},
      out.data(), stream);
  const std::vector<uint16_t> results = out.download(stream);
  for (int i = 0; i < count(); ++i) {
    const float sum = values[i] + values[count() + i] + added[i];
    ASSERT_EQ(results[i], encode_f16(sum < 0 ? sum / 2 : sum)) << i;
  }
}

INSTANTIATE_TEST_SUITE_P(Rows, Reduce, testing::Values(1, 4, 400));

}  // namespace
}  // namespace spb::plans
