// SPDX-License-Identifier: Apache-2.0
// Colors of rows: those of different colors stand in different banks (docs/kernels/halo.md).
#pragma once

#include "gpu/launch.cuh"
#include "maps/halo/halo_parts.h"
#include "maps/pairs/unrolled.cuh"

namespace spb::maps {

__device__ inline uint32_t packed_place(int32_t x, int32_t y, int32_t z) {
  return static_cast<uint32_t>((x & 7) << 16 | (y & 7) << 8 | (z & 7));
}
/// A color of coordinates: x, y and z, the first two times a factor, modulo kHaloColors.
struct HaloColorRule {
  static constexpr int kRules = 64;
  uint32_t factors;

  __device__ explicit HaloColorRule(uint32_t i) : factors(1u << 16 | i / 8 % 8 << 8 | i % 8) {}
  /// Of packed_place() coordinates, times `scale`, a power of two up to 8. The sum of the three
  /// products of a place and its factor stands from bit 16 on in one product: what lies below has
  /// no more than 15 bits, and once it is scaled reaches bits alone that the mask leaves out.
  __device__ uint32_t of(uint32_t place, uint32_t scale = 1) const {
    return place * factors * scale >> 16 & (kHaloColors - 1) * scale;
  }
};

/// packed_place() coordinates of rows that follow one another, read in one piece.
struct alignas(16) HaloPlaces {
  static constexpr int kRows = 4;
  uint32_t of[kRows];
};

inline constexpr int kHaloGroupPlaces = kHaloGroupRows / HaloPlaces::kRows;

/// How many rows of a group have the color that most of them have. The group has the first `left`
/// of the places, the others are 0.
__device__ inline uint32_t most_of_a_color(const HaloColorRule& rule, const HaloPlaces* places,
                                           int64_t left) {
  // Four bits hold the counts of eight rows; a byte for each color holds those of a group.
  constexpr int kNibble = 4, kTogether = 8 / HaloPlaces::kRows;
  constexpr uint32_t kLowNibbles = 0x0F0F0F0F;
  uint32_t even = 0, odd = 0;  // colors
  for (int32_t i = 0; i < kHaloGroupPlaces; i += kTogether) {
    uint32_t counts = 0;
    unrolled<kTogether>([&](auto piece) {
      const HaloPlaces four = places[i + piece.value];
      unrolled<HaloPlaces::kRows>(
          [&](auto j) { counts += 1u << rule.of(four.of[j.value], kNibble); });
    });
    even += counts & kLowNibbles;
    odd += counts >> kNibble & kLowNibbles;
  }
  // Absent rows were counted as of color 0, which they have by every rule.
  if (left < kHaloGroupRows) even -= static_cast<uint32_t>(kHaloGroupRows - (left > 0 ? left : 0));
  uint32_t most = 0;
  for (int shift = 0; shift < 32; shift += 8) {
    const uint32_t of_even = even >> shift & 0xFF, of_odd = odd >> shift & 0xFF;
    const uint32_t larger = of_even > of_odd ? of_even : of_odd;
    most = larger > most ? larger : most;
  }
  return most;
}

}  // namespace spb::maps
