// SPDX-License-Identifier: Apache-2.0
#include "tuning/problem_class.h"

#include <cmath>

namespace spb::tuning {

int bucket_of(double value) {
  return value > 0 ? static_cast<int>(std::floor(2 * std::log2(value))) : -1;
}

double bucket_begin(int bucket) { return bucket < 0 ? 0 : std::exp2(bucket / 2.0); }

ProblemClass class_of(const Algorithm& algorithm, const SizedProblem& sized) {
  const Problem& problem = sized.problem;
  const auto n_out = static_cast<double>(sized.n_out);
  return {.algorithm = algorithm.name,
          .algorithm_version = algorithm.version,
          .direction = problem.direction,
          .dtype = problem.dtype,
          .conv_kind = problem.geometry.kind,
          .kernel_volume = problem.kernel_volume(),
          .c_in = problem.c_in,
          .c_out = problem.c_out,
          .groups = problem.groups,
          .n_out_bucket = bucket_of(n_out),
          .pairs_bucket = bucket_of(n_out > 0 ? static_cast<double>(sized.n_pairs) / n_out : 0)};
}

}  // namespace spb::tuning
