// SPDX-License-Identifier: Apache-2.0
// The sum of one element with what bounds its rounding: verification.md, section 4, as it stands
// there.
#pragma once

#include <cmath>

#include "device_reference/work.h"
#include "gpu/runtime.h"

namespace spb::device_reference {

/// Of the sums beside the value, which are computed: all where they are looked at, and what a
/// judge of exact sums, or of bounded ones, needs.
struct All {
  static constexpr bool kAbs = true, kScales = true;
};
struct Exact {
  static constexpr bool kAbs = true, kScales = false;
};
struct Bounded {
  static constexpr bool kAbs = false, kScales = true;
};

class Sums {
 public:
  template <class Wanted>
  __device__ void add(const Tile& tile, double length) {
    const double before = value_;
    value_ += tile.sum;
    abs_ += tile.abs;
    terms_ += length;
    if constexpr (Wanted::kScales) {
      squares_ += tile.squares;
      within_ += length * tile.squares;
      partials_ += tile.sum * tile.sum;
      running_ += length * (before + value_) / 2;
      running_squares_ += length * (before * before + value_ * value_) / 2;
    }
  }
  /// A term that no product made.
  template <class Wanted>
  __device__ void add(float term) {
    Tile tile;
    tile.add<Wanted>(term, 1.f);
    add<Wanted>(tile, 1);
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
