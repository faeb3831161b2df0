// SPDX-License-Identifier: Apache-2.0
// Which tile kernels a pass over pair tiles takes.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "kernels/gather_gemm/kernels.h"

namespace spb::plans {

/// Where a pass leaves the products of its pairs: each at its position, to be added up later; added
/// to their rows, offset by offset; or added to them as tiles end.
enum class PairPass { ordered, fused, atomic };

/// The kernels of this device that can do fprop or dgrad of so many pairs, those expected to be
/// fastest first.
std::vector<RowKernel> rank_pair_kernels(const Problem& problem, PairPass pass, int64_t pairs);
/// `chosen`, unless null, else the first of these. Throws Error (runtime) where there is none.
RowKernel choose_pair_kernel(const Problem& problem, PairPass pass, int64_t pairs,
                             const KernelVariant* chosen);

/// Nothing, or why no kernel, or not the `chosen` one, does fprop or dgrad. What else it cannot do
/// was refused before.
std::optional<std::string> unsupported_pairs(const Problem& problem, PairPass pass,
                                             const KernelVariant* chosen);

/// Algorithm::choices, of all directions: kernels.
std::vector<Choice> pair_choices(PairPass pass, const SizedProblem& sized, ChoiceRange range);

}  // namespace spb::plans
