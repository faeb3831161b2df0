// SPDX-License-Identifier: Apache-2.0
// One kernel variant, forced on a problem and held against the naive convolution.
#pragma once

#include <algorithm>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "algorithms/forced.h"
#include "kernels/kernel_variants.h"

namespace spb {

struct KernelShape {
  const char* geometry;  ///< "subm k3x3x3 s1x1x1 d1x1x1"
  int64_t voxels;        ///< random ones in a box of 9 x 9 x 9
  int c_in, c_out;
  int groups = 1;
};

/// Whether this device, or its twin, has the kernel at all.
inline bool is_present(const KernelVariant& variant) {
  const Algorithm one = forced("implicit_gemm", variant.name);
  for (const Math& dtype : float_dtypes())
    for (const char* direction : {" fprop", " wgrad"})
      if (!one.unsupported(parse_problem(
              std::string("subm k3x3x3 s1x1x1 d1x1x1 c16:16 ") + dtype.name + direction, "test")))
        return true;
  return false;
}

/// Runs the plan of `algorithm`, which it describes, twice, on buffers of different bytes.
inline PlanDescription expect_naive(const Algorithm& algorithm, const Problem& problem,
                                    const VoxelSet& voxels, uint32_t seed) {
  DeviceRun device(algorithm, problem, voxels);
  if (const std::string* kernel = algorithm.choice.find("kernel")) {
    EXPECT_EQ(device.plan().description().kernel, *kernel);
  }
  const naive::Inputs inputs = naive::integer_inputs(problem, device.n_in(), device.n_out(), seed);
  device.set_inputs(inputs);
  MapSet map = naive::build_map(voxels, problem.geometry), found = device.map();
  std::sort(map.triples.begin(), map.triples.end());
  std::sort(found.triples.begin(), found.triples.end());
  EXPECT_EQ(found.triples, map.triples);
  const std::vector<float> expected = naive::compute(problem, found, device.n_in(), inputs);
  for (const int poison : {0xFF, 0x7F})
    EXPECT_EQ(device.run(static_cast<uint8_t>(poison)), expected) << "poison " << poison;
  return device.plan().description();
}

/// Expects the variant to run with the naive convolution's map and outputs, twice, on buffers of
/// different bytes; odd seeds bring a bias, and fprop one of
/// several epilogues. False when the algorithm does not support the problem
/// with this variant: kernels of newer devices, or other channels.
inline bool run_forced(const KernelVariant& variant, const char* algorithm,
                       const KernelShape& shape, const char* dtype, const char* direction,
                       uint32_t seed) {
  Problem problem =
      parse_problem(std::string(shape.geometry) + " c1:1 " + dtype + " " + direction, "test");
  problem.c_in = shape.c_in;
  problem.c_out = shape.c_out;
  problem.groups = shape.groups;
  problem.bias = seed % 2 != 0;
  problem.epilogue = naive::epilogue_of(problem, seed);
  SCOPED_TRACE(std::string(variant.name) + ": " + algorithm + " " + to_text(problem));
  const Algorithm forced_one = forced(algorithm, variant.name);
  if (forced_one.unsupported(problem)) return false;
  const VoxelSet voxels = naive::random_voxels({1, {9, 9, 9}}, shape.voxels, seed);
  expect_naive(forced_one, problem, voxels, seed);
  return true;
}

}  // namespace spb
