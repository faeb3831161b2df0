// SPDX-License-Identifier: Apache-2.0
// What an algorithm says it can do. Whatever it does not claim is refused, so that a value or a
// field that comes later is never taken for one that is known.
#pragma once

#include <optional>
#include <string>

#include "core/problem.h"

namespace spb {

/// Sets of enumerators, claim_of().
struct Claim {
  unsigned dtypes = 0, directions = 0, kinds = 0;
  bool bias = false;      ///< of fprop, and its gradient of wgrad
  bool epilogue = false;  ///< of fprop
  unsigned groups = 1u << static_cast<unsigned>(GroupKind::one);
};

template <class... Enum>
constexpr unsigned claim_of(Enum... values) {
  return (0u | ... | (1u << static_cast<unsigned>(values)));
}

inline constexpr unsigned kEveryDirection =
    claim_of(Direction::fprop, Direction::dgrad, Direction::wgrad);
inline constexpr unsigned kEveryKind =
    claim_of(ConvKind::subm, ConvKind::strided, ConvKind::inverse, ConvKind::generative);

inline constexpr unsigned kEveryDtype =
    claim_of(Dtype::f32, Dtype::tf32, Dtype::f16, Dtype::bf16, Dtype::tf32x3);
/// Of one group; integers fprop alone.
inline constexpr unsigned kScaled = claim_of(Dtype::i8, Dtype::i8_f32, Dtype::i8_i32, Dtype::e4m3,
                                             Dtype::e4m3_f16, Dtype::e4m3_bf16);
/// Of one group: whoever knows more has to say so.
inline constexpr Claim kEverything{.dtypes = kEveryDtype,
                                   .directions = kEveryDirection,
                                   .kinds = kEveryKind,
                                   .bias = true,
                                   .epilogue = true};

/// Nothing, or what of the problem is not claimed, or is no problem at all.
std::optional<std::string> unclaimed(const Claim& claim, const Problem& problem);

}  // namespace spb
