// SPDX-License-Identifier: Apache-2.0
#include "kernels/common/column_sum.h"

#include <gtest/gtest.h>

#include "algorithms/naive.h"
#include "gpu/buffer.h"

namespace spb::plans {
namespace {

TEST(ColumnSum, AddsRowsOfManyPartials) {
  gpu::Allocator allocator(gpu::Guards::page());
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

TEST(SumPartials, RoundsOnceAndWritesZerosOfNone) {
  gpu::Allocator allocator(gpu::Guards::page());
  const gpu::Stream stream;
  const int64_t columns = 13;
  for (const int64_t count : {0, 1, 33, 1000}) {
    // 2^-11 of the first value alone would be lost to f16; together they are not.
    std::vector<float> values(static_cast<size_t>(count * columns), 0x1p-11f);
    for (size_t c = 0; c < 13 && count > 0; ++c) values[c] = 1;
    gpu::Buffer<float> partials(allocator, count * columns, gpu::Tag::workspace);
    partials.upload(values, stream);
    gpu::Buffer<uint16_t> sums(allocator, columns, gpu::Tag::output);
    sum_partials(Dtype::f16, partials.data(), count, columns, sums.data(), stream);
    std::vector<float> got(13);
    decode(reinterpret_cast<const std::byte*>(sums.download(stream).data()), Storage::f16, got);
    const double exact = count == 0 ? 0 : 1 + static_cast<double>(count - 1) * 0x1p-11;
    EXPECT_EQ(got, std::vector<float>(13, round_output(exact, Dtype::f16))) << count;
    EXPECT_TRUE(allocator.damaged_guards(stream).empty());
  }
}

// Of many columns threads take several, as many as their number and the address let them.
TEST(SumPartials, ManyColumnsHaveTheBitsOfFew) {
  gpu::Allocator allocator(gpu::Guards::page());
  const gpu::Stream stream;
  constexpr int64_t kFew = 64;
  static_assert(kFew < kManyColumns);
  for (const int64_t columns : {kManyColumns, kManyColumns + 1, kManyColumns + 2, kManyColumns + 4})
    for (const int64_t count : {1, 31, 33, 129, 132}) {
      std::vector<float> values = naive::integers(count * columns, 17);
      for (size_t i = 0; i < values.size(); ++i) values[i] /= static_cast<float>(i % 13 + 3);
      for (const int64_t first : {int64_t{0}, columns - kFew}) {
        std::vector<float> few;
        for (int64_t row = 0; row < count; ++row) {
          const auto begin = values.begin() + row * columns + first;
          few.insert(few.end(), begin, begin + kFew);
        }
        const auto sums = [&](const std::vector<float>& of, int64_t width) {
          gpu::Buffer<float> partials(allocator, count * width, gpu::Tag::workspace);
          gpu::Buffer<float> out(allocator, width, gpu::Tag::output);
          partials.upload(of, stream);
          sum_partials(Dtype::f32, partials.data(), count, width, out.data(), stream);
          return out.download(stream);
        };
        const std::vector<float> many = sums(values, columns);
        EXPECT_EQ(std::vector<float>(many.begin() + first, many.begin() + first + kFew),
                  sums(few, kFew))
            << count << " of " << columns;
      }
    }
  EXPECT_TRUE(allocator.damaged_guards(stream).empty());
}

}  // namespace
}  // namespace spb::plans
