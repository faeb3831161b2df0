// SPDX-License-Identifier: Apache-2.0
// Small random layers with their operands, and both references of them.
#pragma once

#include <algorithm>
#include <cstdint>
#include <numeric>
#include <random>
#include <vector>

#include "device_reference/device_reference.h"
#include "reference/reference.h"
#include "verify/verify.h"

namespace spb::test {

struct Layer {
  Problem problem;
  VoxelSet voxels;
  MapSet map;
  HostOperands operands;  ///< as a multiply sees them

  int64_t n_in() const { return voxels.size(); }
  int64_t elements() const {
    return main_output(problem, {n_in(), static_cast<int64_t>(map.out_coords.size())})
        .shape.count();
  }
  reference::Inputs inputs() const {
    return {operands.in,       operands.weights, operands.bias,          operands.gout,
            operands.residual, operands.scale,   operands.residual_scale};
  }
  std::vector<int64_t> all() const {
    std::vector<int64_t> flat(static_cast<size_t>(elements()));
    std::iota(flat.begin(), flat.end(), 0);
    return flat;
  }
};

/// Of every third cell in random order. Channels of the problem are those of a group.
inline Layer make_layer(Problem problem, verify::Fill fill, uint64_t seed, int edge = 6) {
  std::mt19937_64 random(seed);
  problem.c_in *= problem.groups;
  problem.c_out *= problem.groups;
  Layer layer{problem, {}, {}, {}};
  layer.voxels.box.shape = {edge, edge, edge};
  for (int i = 0; i < edge * edge * edge; ++i)
    if (random() % 3 == 0)
      layer.voxels.coords.push_back({0, i / edge / edge, i / edge % edge, i % edge});
  std::ranges::shuffle(layer.voxels.coords, random);
  layer.map = reference::build_map(layer.voxels, problem.geometry);
  layer.operands = verify::rounded(
      verify::fill_operands(problem, layer.n_in(),
                            static_cast<int64_t>(layer.map.out_coords.size()), fill, 0, seed),
      problem.dtype);
  return layer;
}

/// Layers with each epilogue and without one, of a dtype's kind.
inline std::vector<Problem> finished_problems(Dtype dtype) {
  std::vector<Problem> all;
  for (const char* epilogue : {"none", "relu", "leaky_relu:0.25", "residual", "residual+hswish"})
    for (const bool bias : {false, true}) {
      Problem problem{.geometry = {}, .c_in = 5, .c_out = 7};
      problem.dtype = dtype;
      problem.bias = bias;
      problem.epilogue = parse_epilogue(epilogue, "test");
      all.push_back(problem);
    }
  return all;
}

inline constexpr Direction kDirections[] = {Direction::fprop, Direction::dgrad, Direction::wgrad};

}  // namespace spb::test
