// SPDX-License-Identifier: Apache-2.0
// How AMD's matrix cores add up products, for twins on the host: bit for bit what gfx90a and gfx942
// were measured to do (MMA-Sim, arXiv 2511.10909 and microsoft/MMA-Sim: operations FTZ_MUL_ADD,
// TR_FDPA, FMA). No model of gfx11 and gfx12 is published: theirs is one fp32 fma after the other,
// which tests hold to exact sums alone.
//
// MMA-Sim's versions differ in which exponent a zero has beside products below 2^-126, as of bf16
// alone. Here zeros take no part in finding the largest.
#pragma once

#include <algorithm>
#include <bit>
#include <cmath>
#include <cstdint>
#include <limits>
#include <span>

#include "core/dtype.h"

namespace spb::gpu {

enum class MatrixArithmetic { gfx90a, gfx942, fused };

namespace matrix {

/// Fraction bits and least exponent of normal operands.
struct OperandFormat {
  int fraction_bits, least_exponent;
};
constexpr OperandFormat format_of(Dtype dtype) {
  switch (dtype) {
    case Dtype::f16:
      return {10, -14};
    case Dtype::tf32:
      return {10, -126};
    default:
      return {7, -126};  // bf16
  }
}

/// What an instruction sees of an operand: xf32 takes no bits below tf32's.
inline float seen(float value, Dtype dtype) {
  if (dtype != Dtype::tf32 || !std::isfinite(value)) return value;
  return std::bit_cast<float>(std::bit_cast<uint32_t>(value) & ~0x1FFFu);
}

/// Smaller numbers become zeros of their sign.
inline float flushed(float value) {
  return std::abs(value) < std::numeric_limits<float>::min() ? std::copysign(0.f, value) : value;
}

/// CDNA2: fp32 sums of pairs of pairs, every operand and every result flushed.
inline float add_flushed(std::span<const float> a, std::span<const float> b, float sum,
                         Dtype dtype) {
  const float least = std::ldexp(1.f, format_of(dtype).least_exponent);
  const auto operand = [least](float value) { return std::abs(value) < least ? 0.f : value; };
  const auto product = [&](size_t k) { return flushed(operand(a[k]) * operand(b[k])); };
  if (std::abs(sum) < std::numeric_limits<float>::min()) sum = 0;
  for (size_t k = 0; k < a.size(); k += 4) {
    const float low = flushed(product(k) + product(k + 1));
    const float high = flushed(product(k + 2) + product(k + 3));
    sum = flushed(sum + flushed(low + high));
  }
  return sum;
}

/// value = significand * 2^(exponent - fraction_bits), of subnormals with the least exponent.
struct Parts {
  int64_t significand;
  int exponent;
};
inline Parts parts_of(float value, OperandFormat format) {
  const int shift = 23 - format.fraction_bits;
  const auto bits = std::bit_cast<uint32_t>(value);
  int64_t significand = bits & 0x7FFFFFu;
  int exponent = static_cast<int>(bits >> 23 & 0xFF) - 127;
  if (exponent == -127)
    exponent = -126;
  else
    significand |= 0x800000;
  if (exponent < format.least_exponent) {  // f16's subnormals are fp32's normals
    significand >>= std::min(format.least_exponent - exponent, 63);
    exponent = format.least_exponent;
  }
  significand >>= shift;
  return {bits >> 31 ? -significand : significand, exponent};
}

/// CDNA3: products of up to eight k, of xf32 four, cut off below 2^-24 of the largest exponent,
/// added exactly; that and the old sum rounded down at the larger one's 2^-31 and 2^-24; nearest
/// even at last. Operands of xf32 lose what is below tf32.
inline float add_aligned(std::span<const float> a, std::span<const float> b, float sum,
                         Dtype dtype) {
  constexpr int kCut = 24, kDown = 31, kNone = -100000;
  constexpr OperandFormat kSum{23, -126};
  const OperandFormat format = format_of(dtype);
  constexpr size_t kMostGroup = 8;
  const size_t group = dtype == Dtype::tf32 ? 4 : kMostGroup;
  for (size_t begin = 0; begin < a.size(); begin += group) {
    const size_t end = std::min(begin + group, a.size());
    double special = sum;
    bool finite = std::isfinite(sum), above = false, below = false;
    Parts products[kMostGroup];
    int largest = kNone;
    for (size_t k = begin; k < end; ++k) {
      const float left = seen(a[k], dtype), right = seen(b[k], dtype);
      const double exact = static_cast<double>(left) * right;
      special += exact;
      finite = finite && std::isfinite(a[k]) && std::isfinite(b[k]);
      above = above || exact >= 0x1p128;
      below = below || exact <= -0x1p128;
      const Parts x = parts_of(left, format), y = parts_of(right, format);
      products[k - begin] = {x.significand * y.significand, x.exponent + y.exponent};
      if (products[k - begin].significand != 0)
        largest = std::max(largest, products[k - begin].exponent);
    }
    if (!finite) {
      sum = static_cast<float>(special);
      continue;
    }
    if (above || below) {
      constexpr float kInfinity = std::numeric_limits<float>::infinity();
      sum = above && below ? std::numeric_limits<float>::quiet_NaN()
            : above        ? kInfinity
                           : -kInfinity;
      continue;
    }
    if (largest == kNone) continue;
    int64_t added = 0;  // with kCut fraction bits
    for (size_t k = 0; k < end - begin; ++k) {
      const int shift = std::min(largest - products[k].exponent, 63);
      if (products[k].significand == 0) continue;
      const int64_t wide = std::abs(products[k].significand) << (kCut - 2 * format.fraction_bits);
      added += products[k].significand < 0 ? -(wide >> shift) : wide >> shift;
    }
    const Parts old = parts_of(sum, kSum);
    const int common = old.significand != 0 ? std::max(largest, old.exponent) : largest;
    const auto down = [&](int64_t value, int exponent) {  // >> rounds down
      return value >> std::min(common - exponent, 63);
    };
    int64_t total = down(added << (kDown - kCut), largest);
    if (old.significand != 0)
      total += down(old.significand << (kCut - 23), old.exponent) << (kDown - kCut);
    sum = static_cast<float>(std::ldexp(static_cast<double>(total), common - kDown));
  }
  return sum;
}

inline float add_fused(std::span<const float> a, std::span<const float> b, float sum) {
  for (size_t k = 0; k < a.size(); ++k) sum = std::fma(a[k], b[k], sum);
  return sum;
}

}  // namespace matrix

/// sum + a * b of one instruction, in its order of k. fp32 operands take one fma a k on all chips.
/// Floats alone: integers' sums are exact.
inline float add_products(MatrixArithmetic arithmetic, Dtype dtype, std::span<const float> a,
                          std::span<const float> b, float sum) {
  if (dtype == Dtype::f32 || arithmetic == MatrixArithmetic::fused)
    return matrix::add_fused(a, b, sum);
  if (arithmetic == MatrixArithmetic::gfx90a) return matrix::add_flushed(a, b, sum, dtype);
  return matrix::add_aligned(a, b, sum, dtype);
}

}  // namespace spb::gpu
