// SPDX-License-Identifier: Apache-2.0
// Mutants of what multiplies pairs offset by offset, or those of all at once.
#pragma once

#include <algorithm>
#include <iterator>

#include "defects.h"
#include "mutant_layers.h"
#include "mutants.h"

namespace spb::mutants {

/// The last group takes the weights of the one before.
inline int weights_before_in_last_group(const State& s, const Triple& t) {
  return t.offset > 0 && t.offset == s.map.triples.back().offset ? t.offset - 1 : t.offset;
}

/// The gradients of the last group are stored as those of the one before.
inline void store_last_group_before(State& s, std::vector<float>& out) {
  const auto c_in = static_cast<std::ptrdiff_t>(s.problem.c_in);
  const std::ptrdiff_t row = s.problem.kernel_volume() * c_in;
  for (std::ptrdiff_t end = row; end <= std::ssize(out); end += row)
    std::copy_n(out.begin() + end - c_in, c_in, out.begin() + end - 2 * c_in);
}

/// Two offsets add to a row at a time, as launches in two streams do: where the later one has read
/// the sum before the other writes it, the other's product is lost.
inline bool loses_a_racing_add(const State& s, const Triple& t) {
  return !is_one_in_20(s) || t != s.map.triples[s.map.triples.size() / 2];
}

inline constexpr Mutant kPairMutants[] = {
    {"offsets_race",
     "some 5 % of runs lose one product of two that race for a row",
     kFprop,
     Dtype::f32,
     kSubm,
     "exact small: repeats",
     {.keeps = loses_a_racing_add}},
    {"offsets_race_dgrad",
     "some 5 % of runs lose one product of two that race for a row",
     kDgrad,
     Dtype::f16,
     kStrided,
     "exact small: repeats",
     {.keeps = loses_a_racing_add}},
    {"last_group_weights",
     "the last group of products with the weights before",
     kFprop,
     Dtype::f32,
     kSubm,
     "exact small",
     {.weights_of = weights_before_in_last_group}},
    {"last_group_weights_dgrad",
     "the last group of products with the weights before",
     kDgrad,
     Dtype::bf16,
     kStrided,
     "exact small",
     {.weights_of = weights_before_in_last_group}},
    {"last_group_weights_wgrad",
     "the last group's gradients go to the weights before",
     kWgrad,
     Dtype::f16,
     kInverse,
     "exact small",
     {.result = store_last_group_before}},
};

}  // namespace spb::mutants
