// SPDX-License-Identifier: Apache-2.0
// Random numbers that are the same on every machine: integers of SplitMix64 (Steele, Lea, Flood,
// OOPSLA 2014) and exact arithmetic on them, no standard distribution, no libm. Without branches
// that depend on what is drawn: half of them would be guessed wrong, for every element of every
// case. constexpr, so that kernels may draw, too.
#pragma once

#include <algorithm>
#include <bit>
#include <cstdint>

#include "core/power_of_two.h"

namespace spb {

class SplitMix {
 public:
  constexpr explicit SplitMix(uint64_t seed, uint64_t stream = 0)
      : state_(mix(seed) ^ mix(~stream)) {}

  constexpr uint64_t bits() { return mix(state_ += kStep); }
  /// Past so many bits().
  constexpr void skip(uint64_t count) { state_ += count * kStep; }
  /// Uniform in [0, n), n < 2^32. The bias is below n / 2^32.
  constexpr uint32_t below(uint32_t n) { return static_cast<uint32_t>((bits() >> 32) * n >> 32); }
  /// Uniform in [0, 1) on a grid of 2^-53.
  constexpr double uniform() { return static_cast<double>(bits() >> 11) * 0x1p-53; }
  constexpr float sign() {
    constexpr uint32_t kOne = 0x3f800000;
    return std::bit_cast<float>(kOne | static_cast<uint32_t>(bits() >> 63) << 31);
  }
  /// Nearly N(0, 1): the sum of eight 16-bit uniforms, up to 4.9 standard deviations.
  constexpr double normal() { return static_cast<double>(centered_sum()) / kDeviation; }
  /// max(0, normal()).
  constexpr double half_normal() {
    return static_cast<double>(std::max<int64_t>(centered_sum(), 0)) / kDeviation;
  }
  /// Random sign, magnitude in [2^low, 2^(low + powers)), each power of two as likely as the next.
  constexpr double log_uniform(int low, uint32_t powers) {
    const int exponent = low + static_cast<int>(below(powers));
    const auto one = static_cast<double>(sign());
    return one * ((1 + uniform()) * power_of_two(exponent));
  }

 private:
  static constexpr uint64_t kStep = 0x9e3779b97f4a7c15;
  static constexpr double kDeviation = 53509.5;  // of centered_sum(): 65536 * sqrt(8 / 12)
  /// Eight uniform 16-bit numbers less their mean.
  constexpr int64_t centered_sum() {
    constexpr uint64_t kEven = 0x0000ffff0000ffff;  // two of the four 16-bit lanes
    const uint64_t a = bits(), b = bits();
    const uint64_t pairs = (a & kEven) + (a >> 16 & kEven) + (b & kEven) + (b >> 16 & kEven);
    return static_cast<int64_t>((pairs & 0xffffffff) + (pairs >> 32)) - 8 * 65535 / 2;
  }
  static constexpr uint64_t mix(uint64_t z) {
    z = (z ^ z >> 30) * 0xbf58476d1ce4e5b9;
    z = (z ^ z >> 27) * 0x94d049bb133111eb;
    return z ^ z >> 31;
  }
  uint64_t state_;
};

}  // namespace spb
