// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/column_sum.h"

#include <gtest/gtest.h>

#include "algorithms/naive.h"
#include "gpu/buffer.h"

namespace spb::plans {
namespace {

TEST(ColumnSum, AddsRowsOfManyPartials) {
  gpu::Allocator allocator(true);
  const gpu::Stream stream;
  for (const int64_t rows : {0, 1, 255, 256, 257, 300000}) {
    const int columns = 3;
    const std::vector<float> values = naive::integers(rows * columns, 17);
    gpu::Buffer<float> matrix(allocator, rows * columns, gpu::Tag::input);
    matrix.upload(values, stream);
    gpu::Buffer<float> partials(allocator, partials_of(rows) * columns, gpu::Tag::workspace);
    gpu::Buffer<float> sums(allocator, columns, gpu::Tag::output);
    column_sum(Dtype::f32, matrix.data(), rows, columns, partials.data(), sums.data(), stream);
    Problem problem;
    problem.c_out = columns;
    EXPECT_EQ(sums.download(stream), naive::bias_gradient(problem, values)) << rows;
    EXPECT_LE(partials_of(rows), 1024);
    EXPECT_TRUE(allocator.damaged_guards(stream).empty());
  }
}

// tf32 rounds operands of products; a sum has none.
TEST(ColumnSum, DoesNotRoundTf32) {
  gpu::Allocator allocator;
  const gpu::Stream stream;
  const std::vector<float> value{1 + 0x1p-20f};
  gpu::Buffer<float> matrix(allocator, 1, gpu::Tag::input), sums(allocator, 1, gpu::Tag::output);
  gpu::Buffer<float> partials(allocator, 1, gpu::Tag::workspace);
  matrix.upload(value, stream);
  column_sum(Dtype::tf32, matrix.data(), 1, 1, partials.data(), sums.data(), stream);
  EXPECT_EQ(sums.download(stream), value);
}

}  // namespace
}  // namespace spb::plans
