// The reflected Gray sequence of masks: rows whose masks stand close in it differ in few bits.
#pragma once

#include <cstdint>

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

/// 32-bit words that hold one bit per kernel offset.
constexpr int mask_words(int kernel_volume) { return (kernel_volume + 31) / 32; }

}  // namespace spb::maps
