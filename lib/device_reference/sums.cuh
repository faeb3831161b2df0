// SPDX-License-Identifier: Apache-2.0
// The sum of one element with what bounds its rounding: verification.md, section 4, as it stands
// there.
#pragma once

#include <cmath>

#include "device_reference/work.h"
#include "gpu/runtime.h"

namespace spb::device_reference {

/// Products that belong together: those of a kernel offset, or of neighboring pairs.
struct Tile {
  double sum = 0, squares = 0, abs = 0;  ///< D, E, sum of |a b|

  template <bool kScales>
  __device__ void add(float a, float b) {
    const double product = static_cast<double>(a) * static_cast<double>(b);  // has at most 48 bits
    sum += product;
    abs += std::fabs(product);
    if constexpr (kScales) squares += product * product;
  }
};

class Sums {
 public:
  template <bool kScales>
  __device__ void add(const Tile& tile, double length) {
    const double before = value_;
    value_ += tile.sum;
    abs_ += tile.abs;
    terms_ += length;
    if constexpr (kScales) {
      squares_ += tile.squares;
      within_ += length * tile.squares;
      partials_ += tile.sum * tile.sum;
      running_ += length * (before + value_) / 2;
      running_squares_ += length * (before * before + value_ * value_) / 2;
    }
  }
  /// A term that no product made.
  template <bool kScales>
  __device__ void add(float term) {
    Tile tile;
    tile.add<kScales>(term, 1.f);
    add<kScales>(tile, 1);
  }

  __device__ Element finished() const {
    const double forward = running_squares_ + within_;
    const double backward = terms_ * value_ * value_ - 2 * value_ * running_ + forward;
    const double random = terms_ * squares_ / 4;
    return {value_, std::sqrt(std::fmax(std::fmax(forward, backward), random)),
            std::sqrt(partials_), abs_, terms_};
  }

 private:
  double value_ = 0, abs_ = 0, terms_ = 0;          // y, sum of |a b|, R
  double squares_ = 0, within_ = 0, partials_ = 0;  // V, H, P
  double running_ = 0, running_squares_ = 0;        // F1, F2
};

}  // namespace spb::device_reference
