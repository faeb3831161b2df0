// SPDX-License-Identifier: Apache-2.0
#include "gpu/gemm.h"

#include <algorithm>
#include <cmath>
#include <cstdlib>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "core/error.h"
#include "gpu/buffer.h"
#include "gpu/device_info.h"
#include "gpu/gemm_portable.cuh"
#include "gpu/gemm_rocblas.cuh"

namespace spb::gpu {
namespace {

struct Shape {
  int64_t m, n, k;
};
// One block, several row blocks and panels, odd sizes, vectors, and nothing.
constexpr Shape kShapes[] = {{1, 1, 1},    {16, 16, 16}, {33, 7, 65}, {600, 40, 24}, {27, 129, 700},
                             {1, 200, 30}, {200, 1, 30}, {0, 5, 5},   {5, 0, 5},     {5, 5, 0}};

/// A matrix of the given shape with a padded pitch; the padding is NaN.
struct TestMatrix {
  int64_t rows, columns, pitch;
  std::vector<float> values;  // [rows, pitch]
  float at(int64_t row, int64_t column) const { return values[row * pitch + column]; }
};

template <class Draw>
TestMatrix make_matrix(int64_t rows, int64_t columns, int64_t padding, Draw draw) {
  TestMatrix matrix{rows, columns, columns + padding, {}};
  matrix.values.assign(static_cast<size_t>(rows * matrix.pitch), std::nanf(""));
  for (int64_t i = 0; i < rows; ++i)
    for (int64_t j = 0; j < columns; ++j) matrix.values[i * matrix.pitch + j] = draw();
  return matrix;
}

Buffer<uint8_t> upload(const TestMatrix& matrix, Dtype dtype, Allocator& memory,
                       const Stream& stream) {
  std::vector<uint8_t> bytes(matrix.values.size() * info(dtype).input().bytes);
  encode(matrix.values, info(dtype).in, bytes.data());
  Buffer<uint8_t> buffer(memory, static_cast<int64_t>(bytes.size()), Tag::input);
  buffer.upload(bytes, stream);
  return buffer;
}

/// gemm() with the workspace a plan would give it.
void planned_gemm(Dtype dtype, int64_t m, int64_t n, int64_t k, const GemmOperand& a,
                  const GemmOperand& b, void* c, int64_t c_row_pitch, bool accumulate,
                  const Stream& stream) {
  Allocator memory;
  Buffer<uint8_t> workspace(memory, gemm_workspace_bytes(dtype), Tag::workspace);
  gemm(dtype, m, n, k, a, b, c, c_row_pitch, accumulate, stream,
       {workspace.data(), workspace.bytes()});
  stream.synchronize();
}

/// gemm() as it is with HIP, of a library that multiplies on the host.
void rocblas_gemm(Dtype dtype, int64_t m, int64_t n, int64_t k, const GemmOperand& a,
                  const GemmOperand& b, void* c, int64_t c_row_pitch, bool accumulate,
                  const Stream& stream) {
  static const auto library = open_rocblas_gemm(std::vector<std::string>{SPB_FAKE_ROCBLAS});
  ASSERT_TRUE(library);
  gemm_rocblas_or_portable(library.get(), dtype, m, n, k, a, b, c, c_row_pitch, accumulate, stream,
                           {});
}

/// The vendor's product, or the portable one, which every vendor can run.
struct Case {
  Dtype dtype;
  decltype(&gemm_portable) product;
  const char* name;
};

class Gemm : public testing::TestWithParam<Case> {
 protected:
  const Dtype dtype_ = GetParam().dtype;
  /// Products of what `draw` gives, against double; `tolerance` is relative to sum |a * b|.
  template <class Draw>
  void check(const Shape& s, bool a_transposed, bool b_transposed, bool accumulate, Draw draw,
             double tolerance) {
    const TestMatrix a =
        a_transposed ? make_matrix(s.k, s.m, 3, draw) : make_matrix(s.m, s.k, 3, draw);
    const TestMatrix b =
        b_transposed ? make_matrix(s.n, s.k, 5, draw) : make_matrix(s.k, s.n, 5, draw);
    TestMatrix c = make_matrix(s.m, s.n, 2, draw);
    Buffer<uint8_t> a_device = upload(a, dtype_, memory_, stream_);
    Buffer<uint8_t> b_device = upload(b, dtype_, memory_, stream_);
    Buffer<uint8_t> c_device = upload(c, Dtype::f32, memory_, stream_);
    GetParam().product(dtype_, s.m, s.n, s.k, {a_device.data(), a.pitch, a_transposed},
                       {b_device.data(), b.pitch, b_transposed},
                       reinterpret_cast<float*>(c_device.data()), c.pitch, accumulate, stream_);
    const std::vector<uint8_t> bytes = c_device.download(stream_);
    std::vector<float> got(c.values.size());
    decode(bytes.data(), Storage::f32, got);
    for (int64_t i = 0; i < s.m; ++i) {
      for (int64_t j = 0; j < s.n; ++j) {
        double sum = accumulate ? static_cast<double>(c.at(i, j)) : 0, scale = std::abs(sum);
        for (int64_t x = 0; x < s.k; ++x) {
          const double product = static_cast<double>(a_transposed ? a.at(x, i) : a.at(i, x)) *
                                 static_cast<double>(b_transposed ? b.at(j, x) : b.at(x, j));
          sum += product;
          scale += std::abs(product);
        }
        ASSERT_NEAR(got[i * c.pitch + j], sum, tolerance * scale)
            << s.m << "x" << s.n << "x" << s.k << (a_transposed ? " A^T" : "")
            << (b_transposed ? " B^T" : "") << " at " << i << ", " << j;
      }
      for (int64_t j = s.n; j < c.pitch; ++j) ASSERT_TRUE(std::isnan(got[i * c.pitch + j]));
    }
  }
  template <class Draw>
  void check_all(Draw draw, double tolerance) {
    for (const Shape& shape : kShapes)
      for (const int mode : {0, 1, 2, 3, 4, 5, 6, 7})
        check(shape, mode & 1, mode & 2, mode & 4, draw, tolerance);
  }
  Stream stream_;
  Allocator memory_;
};

TEST_P(Gemm, SmallIntegersAreExact) {
  std::mt19937 random(1);
  check_all([&] { return static_cast<float>(static_cast<int>(random() % 9) - 4); }, 0);
}

TEST_P(Gemm, SumsAreFp32) {
  std::mt19937 random(2);
  std::uniform_real_distribution<float> uniform(-1, 1);
  // Operands are already of the dtype, so that only sums are rounded: at most k * 2^-24.
  check_all([&] { return round_operand(uniform(random), dtype_); }, 700 * 0x1p-24);
}

std::vector<Case> cases() {
  std::vector<Case> all;
  for (const Math& row : float_dtypes()) {
    if (!gemm_takes(row.dtype)) continue;
    all.push_back({row.dtype, planned_gemm, "vendor"});
    all.push_back({row.dtype, gemm_portable, "portable"});
    if (on_host() && rocblas_takes(row.dtype, "gfx90a"))
      all.push_back({row.dtype, rocblas_gemm, "rocblas"});
  }
  return all;
}

INSTANTIATE_TEST_SUITE_P(Products, Gemm, testing::ValuesIn(cases()), [](const auto& param) {
  return std::string(param.param.name) + "_" + spb::info(param.param.dtype).name;
});

// Of bytes A is as stored and B transposed, in fours, as cuBLAS takes them (gemm.h).
constexpr Shape kShapesOfBytes[] = {{1, 4, 4},     {16, 16, 16},   {33, 8, 64},
                                    {601, 40, 24}, {27, 128, 700}, {7, 4, 4096},
                                    {0, 4, 4},     {5, 0, 4},      {5, 4, 0}};

TEST(GemmOfBytes, IsExactBeyondWhatFloatsHold) {
  std::mt19937 random(3);
  const auto bytes = [&](int64_t count) {
    std::vector<int8_t> values(static_cast<size_t>(count));
    // Mostly of one sign: the longest sums pass 2^24, where floats leave out integers.
    for (int8_t& value : values)
      value = static_cast<int8_t>(random() % 8 ? 120 + static_cast<int>(random() % 8) : -128);
    return values;
  };
  const Stream stream;
  Allocator memory;
  int64_t largest = 0;
  std::vector<decltype(&gemm_portable)> products{planned_gemm, gemm_portable};
  if (on_host()) products.push_back(rocblas_gemm);
  for (const auto product : products)
    for (const Dtype dtype : {Dtype::i8, Dtype::i8_f32, Dtype::i8_i32})
      for (const Shape& s : kShapesOfBytes)
        for (const bool accumulate : {false, true}) {
          const int64_t a_pitch = s.k + 8, b_pitch = s.k + 4, c_pitch = s.n + 4;
          const std::vector<int8_t> a = bytes(s.m * a_pitch), b = bytes(s.n * b_pitch);
          std::vector<int32_t> c(static_cast<size_t>(s.m * c_pitch));
          for (int32_t& value : c) value = static_cast<int32_t>(random()) / 4;
          Buffer<int8_t> a_device(memory, s.m * a_pitch, Tag::input);
          Buffer<int8_t> b_device(memory, s.n * b_pitch, Tag::weight);
          Buffer<int32_t> c_device(memory, s.m * c_pitch, Tag::output);
          a_device.upload(a, stream);
          b_device.upload(b, stream);
          c_device.upload(c, stream);
          product(dtype, s.m, s.n, s.k, {a_device.data(), a_pitch, false},
                  {b_device.data(), b_pitch, true}, c_device.data(), c_pitch, accumulate, stream);
          const std::vector<int32_t> got = c_device.download(stream);
          for (int64_t i = 0; i < s.m; ++i)
            for (int64_t j = 0; j < c_pitch; ++j) {
              const int32_t before = c[i * c_pitch + j];
              int64_t sum = accumulate || j >= s.n ? before : 0;
              for (int64_t x = 0; x < s.k && j < s.n; ++x)
                sum += a[i * a_pitch + x] * b[j * b_pitch + x];
              largest = std::max(largest, std::abs(sum));
              ASSERT_EQ(got[i * c_pitch + j], sum) << s.m << "x" << s.n << "x" << s.k;
            }
        }
  EXPECT_GT(largest, 1 << 24);
}

TEST(GemmOfOtherDtypes, IsRefused) {
  const Stream stream;
  Allocator memory;
  Buffer<float> data(memory, 4, Tag::input);
  const GemmOperand operand{data.data(), 2, false};
  EXPECT_FALSE(gemm_takes(Dtype::tf32x3));
  for (const auto product : {planned_gemm, gemm_portable})
    EXPECT_THROW(product(Dtype::tf32x3, 2, 2, 2, operand, operand, data.data(), 2, false, stream),
                 Error);
}

// cuBLAS leaves rows out of some of these (gemm_cuda.cu).
TEST(LongGemm, CountsEveryRow) {
  const std::string library = gemm_name(Dtype::f16);
  if (library != "cublas" && library != "rocblas")
    GTEST_SKIP() << "products of up to 350 MB, for libraries";
  constexpr uint16_t kOne[] = {0x3C00, 0x3F80};  // f16, bf16
  constexpr int64_t kMost = 10'737'418;
  for (const Dtype dtype : {Dtype::f16, Dtype::bf16}) {
    const Stream stream;
    Allocator memory;
    Buffer<uint16_t> ones(memory, kMost * 16, Tag::input);
    ones.upload(std::vector<uint16_t>(kMost * 16, kOne[dtype == Dtype::bf16]), stream);
    for (const int64_t side : {16, 32, 64, 128}) {
      Buffer<float> sums(memory, side * side, Tag::output);
      for (const int64_t depth : {20'518, 25'162, 61'017, 78'582, 130'889, 1'026'536, 10'737'418}) {
        if (depth * side > kMost * 16) continue;
        planned_gemm(dtype, side, side, depth, {ones.data(), side, true},
                     {ones.data(), side, false}, sums.data(), side, false, stream);
        for (const float sum : sums.download(stream)) ASSERT_EQ(sum, depth) << side;
      }
    }
  }
}

TEST(GemmName, IsKnown) {
  for (const Dtype dtype : {Dtype::f32, Dtype::tf32, Dtype::f16, Dtype::bf16, Dtype::i8}) {
    const std::string name = gemm_name(dtype);
    EXPECT_TRUE(name == "cublas" || name == "rocblas" || name == "eigen" || name == "portable")
        << name;
  }
}

}  // namespace
}  // namespace spb::gpu
