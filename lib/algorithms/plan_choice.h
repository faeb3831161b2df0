// SPDX-License-Identifier: Apache-2.0
// What a plan may be told to take instead of what it would choose itself.
#pragma once

#include <cstdint>
#include <optional>
#include <vector>

#include "core/problem.h"
#include "kernels/kernel_variants.h"
#include "maps/maps.h"

namespace spb {

/// Whoever made a choice.
enum class ChoiceSource { heuristic, tuned, forced };
const char* name(ChoiceSource source);  ///< as in the column variant_source

/// Each member is a choice made, or left to the plan when empty. An algorithm ignores what it has
/// no use for, but not a variant: with one that cannot do a problem it calls the problem
/// unsupported.
struct PlanChoice {
  const KernelVariant* variant = nullptr;
  std::optional<int> split = {};  ///< slices of each tile's steps (fprop and dgrad)
  std::optional<int> segments =
      {};  ///< of the offsets, up to maps::kMostSegments; 1: slices instead
  std::optional<maps::RowOrder> order = {};
  /// Segments are added to memory in the order in which they end, so that repeats differ.
  bool atomic = false;
  ChoiceSource source = ChoiceSource::heuristic;

  friend bool operator==(const PlanChoice&, const PlanChoice&) = default;
};

/// Problem and the size of its map: what a choice goes by.
struct SizedProblem {
  Problem problem;
  int64_t n_in = 0, n_out = 0, n_pairs = 0;
};

/// How many choices are worth a look: those expected to be fast, the same and those whose plans
/// take long, too, or all that can do the problem.
enum class ChoiceRange { likely, likely_for_many_runs, all };

}  // namespace spb
