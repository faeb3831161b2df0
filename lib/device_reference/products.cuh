// SPDX-License-Identifier: Apache-2.0
// The products of a tile on their way into it, of kernels whose threads share what they read.
#pragma once

#include <cmath>
#include <cstring>

#include "device_reference/sums.cuh"
#include "device_reference/work.h"
#include "gpu/runtime.h"
#include "gpu/vendor/bit_cast.h"

namespace spb::device_reference {

/// Exact sums of integers: in fp32 as far as that is exact.
struct Integers {
  static constexpr bool kAbs = true, kScales = false;
};

/// Four neighbors, read at once.
template <class T>
struct alignas(16) Four {
  T at[4];
};

/// Products between two calls of fold(), at most.
constexpr int kFold = 32;

/// In general as Tile adds them up, where factors are finite.
template <class Wanted>
class Products {
 public:
  using Factor = double;
  /// Fills that try single products have one factor of a sum that is not zero.
  static constexpr bool kSkipsZeros = true;

  __device__ static Factor factor(float value) { return static_cast<double>(value); }
  /// Four that neighbor each other in shared memory.
  __device__ static Four<Factor> read(const Factor* from) {
    return *reinterpret_cast<const Four<Factor>*>(from);
  }
  __device__ void add(Factor a, Factor b) {
    const double product = a * b;
    sum_ += product;
    abs_ += std::fabs(product);
  }
  __device__ void fold() {}
  /// Whether tile() is what Tile would have added up.
  __device__ bool holds() const { return true; }
  __device__ Tile tile() const { return {sum_, 0, abs_}; }

 private:
  double sum_ = 0, abs_ = 0;
};

/// An fp32 sum of integers is exact until the sum of magnitudes reaches 2^24, below which that
/// never falls again: no rounding of a sum of two that are not negative is less than either.
template <>
class Products<Integers> {
 public:
  using Factor = float;
  static constexpr bool kSkipsZeros = false;

  __device__ static Factor factor(float value) { return value; }
  __device__ static Four<Factor> read(const Factor* from) {
    return *reinterpret_cast<const Four<Factor>*>(from);
  }
  __device__ void add(Factor a, Factor b) {
    sum_ = std::fma(a, b, sum_);
    abs_ = std::fma(std::fabs(a), std::fabs(b), abs_);
  }
  __device__ void fold() {}
  __device__ bool holds() const { return abs_ < 0x1p24f; }
  __device__ Tile tile() const { return {static_cast<double>(sum_), 0, static_cast<double>(abs_)}; }

 private:
  float sum_ = 0, abs_ = 0;
};

/// Products add to their sum as fp64 has them. Squares are of a bound: of kFold at a time in fp32,
/// to 2e-6, or to 1e-6 of their root, of which the bound is made. Those too small for fp32 are
/// lost, which matters to no sum that holds; where one is too large the sum is NaN.
template <>
class Products<Bounded> {
 public:
  struct alignas(16) Factor {
    double wide;
    float narrow, unused;
  };
  static constexpr bool kSkipsZeros = false;

  __device__ static Factor factor(float value) { return {static_cast<double>(value), value, 0}; }
  /// Each at once: members are read one by one.
  __device__ static Four<Factor> read(const Factor* from) {
    Four<Factor> factors;
    GPU_UNROLL
    for (int i = 0; i < 4; ++i) {
      Four<uint32_t> words;
      memcpy(&words, from + i, sizeof(words));
      factors.at[i] = {
          gpu::vendor::bit_cast<double>(uint64_t{words.at[1]} << 32 | uint64_t{words.at[0]}),
          gpu::vendor::bit_cast<float>(words.at[2]), 0};
    }
    return factors;
  }
  __device__ void add(const Factor& a, const Factor& b) {
    sum_ = std::fma(a.wide, b.wide, sum_);
    const float product = a.narrow * b.narrow;
    recent_ = std::fma(product, product, recent_);
  }
  __device__ void fold() {
    squares_ += recent_ <= 0x1p120f ? static_cast<double>(recent_) : static_cast<double>(NAN);
    recent_ = 0;
  }
  __device__ bool holds() const { return squares_ >= 0x1p-80; }
  __device__ Tile tile() const { return {sum_, squares_, 0}; }

 private:
  double sum_ = 0, squares_ = 0;
  float recent_ = 0;
};

/// Calls launch(Wanted{}) with what a judge needs of sums.
template <class Launch>
void with_judged(Judged judged, const Launch& launch) {
  switch (judged) {
    case Judged::bounded:
      return launch(Bounded{});
    case Judged::integers:
      return launch(Integers{});
    case Judged::exact:
      return launch(Exact{});
  }
}

}  // namespace spb::device_reference
