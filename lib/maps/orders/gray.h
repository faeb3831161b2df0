// SPDX-License-Identifier: Apache-2.0
// The reflected Gray sequence of masks: rows whose masks stand close in it differ in few bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "core/coords.h"

namespace spb::maps {

/// Bit i of the result is the parity of bits i to 31: the position of a one-word mask in the
/// sequence. (constexpr, so that kernels and plain C++ share it.)
constexpr uint32_t gray_position(uint32_t mask) {
  for (int shift = 1; shift < 32; shift *= 2) mask ^= mask >> shift;
  return mask;
}

/// The position of a mask of several words, word by word from the highest: each word is inverted
/// when the higher words together have an odd number of set bits.
class GrayWords {
 public:
  constexpr uint32_t next(uint32_t mask) {
    const uint32_t position = gray_position(mask) ^ higher_;
    higher_ = position & 1 ? ~uint32_t{0} : 0;
    return position;
  }

 private:
  uint32_t higher_ = 0;  // all ones when the words so far have odd parity
};

/// Some bits of a mask of one word, moved together: which decide most about a row's place.
struct PackedBits {
  int32_t count = 0;
  uint32_t used = 0;  ///< the low `count` bits
  /// For each packed bit from the least significant: the left shift that brings it to the top.
  int32_t to_top[32] = {};

  constexpr uint32_t pack(uint32_t mask) const {
    uint32_t packed = 0;
    for (int i = 31; i >= 0; --i) packed = packed << 1 | mask << to_top[i] >> 31;
    return packed & used;
  }
};

/// The offsets [first, end) of a kernel of up to 32 but for `common`, the farther from its center
/// the more significant, as counted by the components that differ from it; ties by number. Far
/// neighbors are the rare ones: rows that differ in them share little, and sorted by them first,
/// tiles list fewer offsets than in the order of the numbers (redundancy of 128-row tiles on the
/// sphere of R = 64, 128, 256: 1.62, 1.31, 1.148 instead of 1.68, 1.35, 1.158). A size of zeros
/// stands for an unknown kernel: by number alone.
constexpr PackedBits nearest_first(const Int3& size, int common, int first, int end) {
  const auto distance = [&](int o) {
    if (size[0] == 0) return 0;
    const int component[3] = {o / (size[1] * size[2]), o / size[2] % size[1], o % size[2]};
    int differing = 0;
    for (std::size_t axis = 0; axis < 3; ++axis)
      differing += component[axis] != (size[axis] - 1) / 2;
    return differing;
  };
  PackedBits bits;
  for (int d = 0; d <= 3; ++d)
    for (int o = first; o < end; ++o)
      if (o != common && distance(o) == d) bits.to_top[bits.count++] = 31 - o;
  bits.used = static_cast<uint32_t>((uint64_t{1} << bits.count) - 1);
  return bits;
}

/// The low `count` bits, none below 0 and all from 32 on.
constexpr uint32_t low_bits(int32_t count) {
  return count <= 0 ? 0 : count >= 32 ? ~uint32_t{0} : (uint32_t{1} << count) - 1;
}

/// 32-bit words that hold one bit per kernel offset.
constexpr int mask_words(int kernel_volume) { return (kernel_volume + 31) / 32; }

}  // namespace spb::maps
