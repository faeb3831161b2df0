// SPDX-License-Identifier: Apache-2.0
// Random elements that are each made from their own number alone, the same on the host and in
// kernels.
#pragma once

#include <cstdint>

#include "core/power_of_two.h"
#include "core/split_mix.h"

namespace spb {

/// A distribution and where its random numbers come from. Plain, so that kernels can be given it.
struct Draw {
  enum class Kind {
    zero,
    integer,      ///< first + step * (0 ... count - 1), with probability `present`, else 0
    sign,         ///< +-1 with probability `present`, else 0
    odd,          ///< the same integers with a random sign
    normal,       ///< factor * N(0, 1)
    half_normal,  ///< max(0, N(0, 1)) * factor
    uniform,      ///< factor * ([0, 1) + shift)
    log_uniform,  ///< +-[2^first, 2^(first + count)), each power of two as likely as the next
    /// +- odd integers of `bits` bits, with the highest at 2^first ... 2^(first + count - 1); one
    /// in `one_in` is `special`.
    significand
  };
  /// Elements that share a generator.
  static constexpr int64_t kRun = 1 << 16;

  Kind kind = Kind::zero;
  int first = 0, step = 1, bits = 1;
  uint32_t count = 1, one_in = 1;
  double present = 1, factor = 1, shift = 0, special = 0;
  uint64_t seed = 0, stream = 0;

  /// Random numbers that an element takes, whatever is drawn.
  constexpr uint64_t numbers() const {
    switch (kind) {
      case Kind::zero:
        return 0;
      case Kind::integer:
        return present < 1 ? 2 : 1;
      case Kind::uniform:
        return 1;
      case Kind::sign:
      case Kind::odd:
      case Kind::normal:
      case Kind::half_normal:
        return 2;
      case Kind::log_uniform:
        return 3;
      case Kind::significand:
        return 4;
    }
    return 0;
  }
  /// The generator of the run of elements that `element` lies in, where it is drawn.
  constexpr SplitMix random_at(int64_t element) const {
    SplitMix random(seed, stream << 48 | static_cast<uint64_t>(element / kRun));
    random.skip(static_cast<uint64_t>(element % kRun) * numbers());
    return random;
  }
};

/// The next element. Each number is drawn in a statement of its own: the order of operands is a
/// compiler's choice.
template <Draw::Kind kKind>
constexpr float drawn_as(const Draw& draw, SplitMix& random) {
  using Kind = Draw::Kind;
  if constexpr (kKind == Kind::integer) {
    bool is_there = true;
    if (draw.present < 1) is_there = random.uniform() < draw.present;
    const int value = draw.first + draw.step * static_cast<int>(random.below(draw.count));
    return is_there ? static_cast<float>(value) : 0.f;
  } else if constexpr (kKind == Kind::sign) {
    const bool is_there = random.uniform() < draw.present;
    const float sign = random.sign();
    return is_there ? sign : 0.f;
  } else if constexpr (kKind == Kind::odd) {
    const float sign = random.sign();
    return sign *
           static_cast<float>(draw.first + draw.step * static_cast<int>(random.below(draw.count)));
  } else if constexpr (kKind == Kind::normal) {
    return static_cast<float>(draw.factor * random.normal());
  } else if constexpr (kKind == Kind::half_normal) {
    return static_cast<float>(draw.factor * random.half_normal());
  } else if constexpr (kKind == Kind::uniform) {
    // The sum comes first: an addition behind a product that is rounded could become an fma.
    return static_cast<float>(draw.factor * (random.uniform() + draw.shift));
  } else if constexpr (kKind == Kind::log_uniform) {
    return static_cast<float>(random.log_uniform(draw.first, draw.count));
  } else if constexpr (kKind == Kind::significand) {
    const bool is_special = random.below(draw.one_in) == 0;
    const uint32_t half = 1u << (draw.bits - 1);
    const uint32_t odd = half + 2 * random.below(half / 2) + (draw.bits > 1);
    const int exponent = draw.first + static_cast<int>(random.below(draw.count));
    const float sign = random.sign();
    const double magnitude = odd * power_of_two(1 - draw.bits) * power_of_two(exponent);
    return sign * static_cast<float>(is_special ? draw.special : magnitude);
  }
  return 0;
}

/// Calls f.operator()<kind>().
template <class F>
constexpr void with_kind(Draw::Kind kind, const F& f) {
  using Kind = Draw::Kind;
  switch (kind) {
    case Kind::zero:
      return f.template operator()<Kind::zero>();
    case Kind::integer:
      return f.template operator()<Kind::integer>();
    case Kind::sign:
      return f.template operator()<Kind::sign>();
    case Kind::odd:
      return f.template operator()<Kind::odd>();
    case Kind::normal:
      return f.template operator()<Kind::normal>();
    case Kind::half_normal:
      return f.template operator()<Kind::half_normal>();
    case Kind::uniform:
      return f.template operator()<Kind::uniform>();
    case Kind::log_uniform:
      return f.template operator()<Kind::log_uniform>();
    case Kind::significand:
      return f.template operator()<Kind::significand>();
  }
}

/// One element.
constexpr float drawn(const Draw& draw, int64_t element) {
  SplitMix random = draw.random_at(element);
  float value = 0;
  with_kind(draw.kind, [&]<Draw::Kind kKind>() { value = drawn_as<kKind>(draw, random); });
  return value;
}

}  // namespace spb
