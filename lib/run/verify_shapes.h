// SPDX-License-Identifier: Apache-2.0
// Small problems beside the case's own: what its data may happen not to reach
// (verification.md, section 8).
#pragma once

#include "core/problem.h"
#include "engines/contender.h"
#include "run/run_options.h"
#include "run/verify_case.h"

namespace spb::run {

/// The layer of `problem` on 768 rows, on 768 others while that plan lives, on 769 and on 767, in
/// two batches: one row more or less than whole tiles of any height. Channels are few and, on 769
/// rows, odd. Then the identity that joins the algorithm's directions. The first failure is added
/// to `verdict`. What the algorithm does not claim is left out.
void verify_shapes(const engines::Implementation& algorithm, const Problem& problem,
                   const RunOptions& options, const Report& report, Verdict& verdict);

/// Empty, or how sum(gout * out) of fprop, sum(gin * in) of dgrad and sum(gw * weights) of wgrad
/// differ: of small integers all three are the same number. It joins what the reference computes
/// three times, so that an error which the reference shares shows. Directions that the algorithm
/// does not claim are left out.
std::string adjoint_fault(const engines::Implementation& algorithm, const Problem& problem,
                          const VoxelSet& voxels, uint64_t seed);

}  // namespace spb::run
