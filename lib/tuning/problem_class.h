// SPDX-License-Identifier: Apache-2.0
// Problems that are tuned as one.
#pragma once

#include <cstdint>
#include <string>

#include "algorithms/algorithm.h"

namespace spb::tuning {

/// Half an octave: floor(2 log2 value). -1 for values up to 0.
int bucket_of(double value);
/// Smallest value of a bucket, 2^(bucket / 2); 0 for -1.
double bucket_begin(int bucket);

/// What a choice is looked up by, besides the machine: of one algorithm, as different algorithms
/// have different variants.
struct ProblemClass {
  std::string algorithm;
  int algorithm_version = 0;
  Direction direction = Direction::fprop;
  Dtype dtype = Dtype::f32;
  ConvKind conv_kind = ConvKind::subm;
  int kernel_volume = 0, c_in = 0, c_out = 0, groups = 1;
  int n_out_bucket = 0, pairs_bucket = 0;  ///< of the output voxels, and of the pairs of each

  friend bool operator==(const ProblemClass&, const ProblemClass&) = default;
};

ProblemClass class_of(const Algorithm& algorithm, const SizedProblem& sized);

}  // namespace spb::tuning
