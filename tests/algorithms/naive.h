// SPDX-License-Identifier: Apache-2.0
// The algorithms' truth: the maps' own, and sums in double by plain loops. The reference is judged
// by a truth apart (reference/naive.h).
#pragma once

#include <vector>

#include "core/expected.h"
#include "core/problem.h"

namespace spb::naive {

/// Up to `count` distinct cells of the box, in random order.
VoxelSet random_voxels(const Box& box, int64_t count, uint32_t seed);

MapSet build_map(const VoxelSet& voxels, const ConvGeometry& geometry);

/// Small integers, so that every order of summation gives the same fp32.
std::vector<float> integers(int64_t count, uint32_t seed);

struct Inputs {
  std::vector<float> in, weights, bias, gout, residual = {};
};
/// Of 3xtf32 one of the multiplied operands, by the seed's last bit, has wider ones, so that each
/// of its parts counts.
Inputs integer_inputs(const Problem& problem, int64_t n_in, int64_t n_out, uint32_t seed);

/// Of fprop one of six, none among them, drawn by the seed so that loops around it draw all of
/// them, with and without a bias.
Epilogue epilogue_of(const Problem& problem, uint32_t seed);

/// out, gin or gw, each element rounded once to the output type.
std::vector<float> compute(const Problem& problem, const MapSet& map, int64_t n_in,
                           const Inputs& inputs);
std::vector<float> bias_gradient(const Problem& problem, const std::vector<float>& gout);

}  // namespace spb::naive
