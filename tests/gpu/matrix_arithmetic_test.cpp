// SPDX-License-Identifier: Apache-2.0
// The arithmetic of matrix cores, against the same rules said plainly in doubles.
#include "gpu/mma/matrix_arithmetic.h"

#include <algorithm>
#include <array>
#include <bit>
#include <cmath>
#include <gtest/gtest.h>
#include <random>
#include <string>
#include <vector>

#include "gpu/vendor/element_bits.h"

namespace spb::gpu {
namespace {

constexpr double kLeastFp32 = 0x1p-126;

double least_of(Dtype dtype) { return dtype == Dtype::f16 ? 0x1p-14 : 0x1p-126; }

float small_is_zero(float value) {
  return std::abs(static_cast<double>(value)) < kLeastFp32 ? value * 0.f : value;
}

/// gfx90a, as MMA-Sim's FTZ_MUL_ADD with four k a group.
float plain_flushed(Dtype dtype, const std::vector<float>& a, const std::vector<float>& b,
                    float sum) {
  const auto in = [&](float v) { return std::abs(double{v}) < least_of(dtype) ? 0.f : v; };
  float c = std::abs(double{sum}) < kLeastFp32 ? 0.f : sum;
  for (size_t k = 0; k < a.size(); k += 4) {
    std::array<float, 4> p{};
    for (size_t i = 0; i < 4; ++i)
      p[i] = small_is_zero(static_cast<float>(double{in(a[k + i])} * double{in(b[k + i])}));
    const float low = small_is_zero(p[0] + p[1]), high = small_is_zero(p[2] + p[3]);
    const float four = small_is_zero(low + high);
    c = small_is_zero(c + four);
  }
  return c;
}

/// ilogb, but of subnormals of the format that of its least normal number.
int exponent_of(float value, double least) {
  const double magnitude = std::abs(static_cast<double>(value));
  return std::ilogb(std::max(magnitude, least));
}

/// What xf32 sees of an fp32.
float cut_to_tf32(float value) {
  return std::bit_cast<float>(std::bit_cast<uint32_t>(value) & ~0x1FFFu);
}

/// gfx942, as MMA-Sim's TR_FDPA with 24 and 31 fraction bits and eight k a group, of xf32 four.
float plain_aligned(Dtype dtype, std::vector<float> a, std::vector<float> b, float sum) {
  const size_t group = dtype == Dtype::tf32 ? 4 : 8;
  for (auto* operand : {&a, &b})
    for (float& value : *operand)
      if (dtype == Dtype::tf32) value = cut_to_tf32(value);
  for (size_t begin = 0; begin < a.size(); begin += group) {
    const size_t end = std::min(begin + group, a.size());
    int largest = -10000;
    for (size_t k = begin; k < end; ++k)
      if (a[k] != 0 && b[k] != 0)
        largest = std::max(largest,
                           exponent_of(a[k], least_of(dtype)) + exponent_of(b[k], least_of(dtype)));
    if (largest == -10000) continue;
    double added = 0;
    for (size_t k = begin; k < end; ++k)
      added += std::trunc(std::ldexp(double{a[k]} * b[k], 24 - largest));
    added = std::ldexp(added, largest - 24);
    const int common = sum == 0 ? largest : std::max(largest, exponent_of(sum, kLeastFp32));
    const double products = std::floor(std::ldexp(added, 31 - common));
    const double old = std::floor(std::ldexp(double{sum}, 24 - common));
    sum = static_cast<float>(std::ldexp(products + std::ldexp(old, 7), common - 31));
  }
  return sum;
}

/// Numbers of up to 2^(top + 1), `spread` powers of two apart.
struct Magnitudes {
  int top, spread;
};

/// Numbers of every kind: of one magnitude, far apart, subnormal, zero.
float draw(Dtype dtype, std::mt19937& random, Magnitudes of) {
  const float unit = static_cast<float>(static_cast<int>(random() % 4001) - 2000) / 1024.f;
  if (random() % 16 == 0) return random() % 2 != 0 ? 0.f : -0.f;
  const int exponent = of.top - static_cast<int>(random() % static_cast<unsigned>(of.spread));
  const float value = std::ldexp(unit, exponent);
  if (dtype == Dtype::tf32) return value * 1.00037f;  // more bits than are seen
  return dtype == Dtype::f16 ? vendor::decode_f16(vendor::encode_f16(value))
                             : vendor::decode_bf16(vendor::encode_bf16(value));
}

class MatrixArithmeticOf : public testing::TestWithParam<Dtype> {};

TEST_P(MatrixArithmeticOf, IsTheRuleToTheBit) {
  const Dtype dtype = GetParam();
  std::mt19937 random(11);
  int differ = 0, subnormal = 0;
  // Of f16 down to its subnormals, of bf16 to products and sums below the normal fp32.
  for (const Magnitudes of : {Magnitudes{0, 1}, {2, 6}, {2, 24}, {2, 100}, {-56, 24}}) {
    if (dtype == Dtype::f16 && (of.spread > 24 || of.top < 0)) continue;
    SCOPED_TRACE(std::to_string(of.spread) + " powers up to " + std::to_string(of.top));
    for (int i = 0; i < 20000; ++i) {
      std::vector<float> a(16), b(16);
      for (float& value : a) value = draw(dtype, random, of);
      for (float& value : b) value = draw(dtype, random, of);
      float sum = draw(Dtype::bf16, random, of) * 1.0001f;
      if (i % 3 == 0) sum = 0;
      const float flushed = add_products(MatrixArithmetic::gfx90a, dtype, a, b, sum);
      const float aligned = add_products(MatrixArithmetic::gfx942, dtype, a, b, sum);
      if (dtype != Dtype::tf32) {  // gfx90a has none
        ASSERT_EQ(std::bit_cast<uint32_t>(flushed),
                  std::bit_cast<uint32_t>(plain_flushed(dtype, a, b, sum)))
            << i;
      }
      ASSERT_EQ(aligned, plain_aligned(dtype, a, b, sum)) << i;
      differ += flushed != aligned;
      subnormal += aligned != 0 && std::abs(double{aligned}) < kLeastFp32;
    }
  }
  if (dtype != Dtype::tf32) {
    EXPECT_GT(differ, 1000) << "the chips round apart";
  }
  EXPECT_EQ(subnormal > 0, dtype != Dtype::f16);
}

INSTANTIATE_TEST_SUITE_P(Dtypes, MatrixArithmeticOf,
                         testing::Values(Dtype::f16, Dtype::bf16, Dtype::tf32));

float one_product(MatrixArithmetic arithmetic, Dtype dtype, float a, float b, float sum = 0) {
  std::vector<float> x(16), y(16);
  x[3] = a;
  y[3] = b;
  return add_products(arithmetic, dtype, x, y, sum);
}

TEST(MatrixArithmeticValues, OfSubnormals) {
  // The largest subnormal of f16 counts on gfx942 alone.
  constexpr float kSubnormal = 0x1.ff8p-15f;
  EXPECT_EQ(one_product(MatrixArithmetic::gfx942, Dtype::f16, kSubnormal, 1), kSubnormal);
  EXPECT_EQ(one_product(MatrixArithmetic::gfx90a, Dtype::f16, kSubnormal, 1), 0.f);
  EXPECT_EQ(one_product(MatrixArithmetic::gfx90a, Dtype::f16, 0x1p-14f, 1), 0x1p-14f);
  // So does a sum that is no normal fp32.
  EXPECT_EQ(one_product(MatrixArithmetic::gfx942, Dtype::bf16, 0x1p-100f, 0x1p-30f), 0x1p-130f);
  EXPECT_EQ(one_product(MatrixArithmetic::gfx90a, Dtype::bf16, 0x1p-100f, 0x1p-30f), 0.f);
  EXPECT_EQ(one_product(MatrixArithmetic::gfx90a, Dtype::bf16, 0, 0, 0x1p-130f), 0.f);
  EXPECT_EQ(one_product(MatrixArithmetic::gfx90a, Dtype::f32, 0x1p-100f, 0x1p-30f), 0x1p-130f);
}

TEST(MatrixArithmeticValues, OfRounding) {
  // 2^-25 of the largest product is cut off, of the old sum rounded down.
  std::vector<float> a(16, 0.f), b(16, 1.f);
  a[0] = 1;
  a[1] = 0x1p-14f, b[1] = 0x1p-11f;
  EXPECT_EQ(add_products(MatrixArithmetic::gfx942, Dtype::f16, a, b, -1), 0.f);
  EXPECT_EQ(one_product(MatrixArithmetic::gfx942, Dtype::f16, 1, 1, -0x1p-40f), 1 - 0x1p-24f);
  EXPECT_EQ(one_product(MatrixArithmetic::gfx90a, Dtype::f16, 1, 1, -0x1p-40f), 1.f);
  // The eleventh bit of an operand counts, the twelfth does not.
  EXPECT_EQ(one_product(MatrixArithmetic::gfx942, Dtype::tf32, 1 + 0x1p-10f, 1), 1 + 0x1p-10f);
  EXPECT_EQ(one_product(MatrixArithmetic::gfx942, Dtype::tf32, 1 + 0x1.8p-11f, 1), 1.f);
}

TEST(MatrixArithmeticValues, OfInfinities) {
  constexpr float kInfinity = std::numeric_limits<float>::infinity();
  for (const auto arithmetic : {MatrixArithmetic::gfx90a, MatrixArithmetic::gfx942}) {
    EXPECT_EQ(one_product(arithmetic, Dtype::f16, kInfinity, -1), -kInfinity);
    EXPECT_TRUE(std::isnan(one_product(arithmetic, Dtype::f16, kInfinity, 0)));
    EXPECT_EQ(one_product(arithmetic, Dtype::bf16, 0x1p100f, 0x1p100f), kInfinity);
    EXPECT_TRUE(std::isnan(one_product(arithmetic, Dtype::bf16, 1, 1, std::nanf(""))));
  }
}

}  // namespace
}  // namespace spb::gpu
