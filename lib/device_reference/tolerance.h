// SPDX-License-Identifier: Apache-2.0
// How far a stored element may be from its sum.
#pragma once

namespace spb::device_reference {

/// Of what kind the sums are that are judged.
enum class Judged {
  bounded,   ///< rounded by whoever made them, as far as a bound
  exact,     ///< of any finite operands
  integers,  ///< exact ones of integers, few of which have sums |a b| of 2^24 and more
};

/// What an element may be off its sum, as numbers (verification.md, section 4).
struct Tolerance {
  bool exact = false;    ///< not at all, but for the one rounding of the store
  bool flushes = false;  ///< exact: a zero will do for a subnormal of fp32
  /// exact: larger sums |a b| are no longer exact on a device, and may be off by the largest
  /// rounding of each term.
  double most_abs_sum = 0;
  double unit = 0;        ///< u of the accumulator; exact: the coarsest of the class
  double mma_growth = 0;  ///< m / d
  double chain = 0;       ///< C; 0: all terms of the element
  double partials = 0;    ///< of root P
  double products = 0;    ///< of Q / root R
  /// Of sums that tensor cores keep in fewer bits than fp32 has: what one addition may lose, and
  /// over how many products it adds up; 0: over all.
  double narrow_unit = 0, narrow_products = 0;
};

}  // namespace spb::device_reference
