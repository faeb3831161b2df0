// SPDX-License-Identifier: Apache-2.0
// The truth, on the CPU, from the definition: own neighbor search, fp64, multi-threaded, Eigen.
// Knows only core; shares no code with what it judges.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "core/expected.h"
#include "core/problem.h"

namespace spb::reference {

/// The kernel map of `voxels` by sorting and binary search.
/// Throws Error (runtime) for duplicate rows or rows outside the box, usage for a bad geometry.
MapSet build_map(const VoxelSet& voxels, const ConvGeometry& geometry);

/// Inputs as floats, already rounded to the operand type. Unused ones may be empty.
struct Inputs {
  std::span<const float> in;                   ///< [n_in, c_in]
  std::span<const float> weights;              ///< [c_out, kernel_volume, c_in / groups]
  std::span<const float> bias;                 ///< [c_out] or empty
  std::span<const float> gout;                 ///< [n_out, c_out]
  std::span<const float> residual = {};        ///< [n_out, c_out], of problem.epilogue.residual
  std::span<const float> scale = {};           ///< [c_out], of dgrad [c_in]; has_scales()
  std::span<const float> residual_scale = {};  ///< [1], the same with a residual
};

struct Result {
  Expected main;  ///< out, gin or gw
  Expected bias;  ///< gbias for wgrad with problem.bias; else 0 rows
};

/// gbias alone: [n_out, c_out] summed over its rows, with error scales.
Expected compute_bias_gradient(const Problem& problem, int64_t n_out, std::span<const float> gout);
/// As compute_exact.
Expected compute_exact_bias_gradient(const Problem& problem, int64_t n_out,
                                     std::span<const float> gout);

/// fp64 values with the error scales of floating-point mode.
/// With `rows` not empty only those rows of out or gin are computed (Expected has one row per
/// entry, in that order); wgrad ignores it. `pairs`: those of the map that these rows have, in its
/// order, where the caller knows them; else they are looked for.
Result compute(const Problem& problem, const MapSet& map, int64_t n_in, const Inputs& inputs,
               std::span<const int64_t> rows = {}, std::span<const Triple> pairs = {});

/// Exact mode: fp32 Eigen products of small integers (exact while sums stay below 2^24), fast.
/// Fills value, abs_sum and terms only. Beyond 2^24 both are near, never below the truth's 2^24:
/// enough to see that the fill was too dense. Scaled dtypes have the epilogue in fp32 as
/// core/epilogue.h has it; integers fp64 products, whose sums are exact, of any fill.
Result compute_exact(const Problem& problem, const MapSet& map, int64_t n_in, const Inputs& inputs,
                     std::span<const int64_t> rows = {}, std::span<const Triple> pairs = {});

}  // namespace spb::reference
