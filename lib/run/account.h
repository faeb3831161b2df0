// SPDX-License-Identifier: Apache-2.0
// What an algorithm costs in memory (measurement.md, section 9).
#pragma once

#include <cstdint>
#include <optional>

#include "algorithms/algorithm.h"
#include "core/coords.h"
#include "core/problem.h"

namespace spb::run {

struct MemoryUse {
  int64_t peak_total_bytes = 0;  ///< largest live sum, plan and run
  int64_t peak_plan_bytes = 0;   ///< largest sum beyond operands during plan()
  int64_t workspace_bytes = 0;   ///< `workspace` live during run()
  int64_t persistent_bytes = 0;  ///< kept between runs: maps, orders, re-laid weights
  int64_t leak_bytes = 0;        ///< live after destruction
  int64_t run_alloc_count = 0;   ///< allocations inside run(); must be 0
  /// Device memory taken past the allocator by plan() and run(); nothing on host. Wrong when
  /// another process takes memory meanwhile.
  std::optional<int64_t> untracked_bytes;
};

/// A separate untimed pass: plans, runs once on zeros, destroys.
MemoryUse account(const Algorithm& algorithm, const Problem& problem, const VoxelSet& voxels,
                  int64_t n_out);

}  // namespace spb::run
