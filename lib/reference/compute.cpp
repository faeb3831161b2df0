// SPDX-License-Identifier: Apache-2.0
#include "reference/epilogue.h"
#include "reference/products.h"

namespace spb::reference {
namespace {

template <bool kScales>
Result compute_as(const Problem& problem, const MapSet& map, int64_t n_in, const Inputs& inputs,
                  std::span<const int64_t> rows) {
  Result result;
  const bool grouped = problem.groups > 1;
  if (problem.direction != Direction::wgrad) {
    const auto products = grouped ? grouped_row_products<kScales> : row_products<kScales>;
    result.main = products(problem, map, n_in, inputs, rows);
    activate(problem.epilogue, result.main);
    return result;
  }
  const auto products = grouped ? grouped_weight_products<kScales> : weight_products<kScales>;
  result.main = products(problem, map, inputs);
  if (problem.bias)
    result.bias =
        bias_gradient<kScales>(problem, static_cast<int64_t>(map.out_coords.size()), inputs.gout);
  return result;
}

/// Products in fp64: sums of integers have up to 31 bits.
Result compute_integers(const Problem& problem, const MapSet& map, int64_t n_in,
                        const Inputs& inputs, std::span<const int64_t> rows) {
  Problem sums = problem;
  sums.bias = false;
  sums.epilogue = {};
  Result result = compute_as<true>(sums, map, n_in, inputs, rows);
  requantize(problem, inputs, rows, result.main);
  return result;
}

}  // namespace

Result compute(const Problem& problem, const MapSet& map, int64_t n_in, const Inputs& inputs,
               std::span<const int64_t> rows) {
  return compute_as<true>(problem, map, n_in, inputs, rows);
}

Result compute_exact(const Problem& problem, const MapSet& map, int64_t n_in, const Inputs& inputs,
                     std::span<const int64_t> rows) {
  if (info(problem.dtype).is_integer()) return compute_integers(problem, map, n_in, inputs, rows);
  return compute_as<false>(problem, map, n_in, inputs, rows);
}

Expected compute_bias_gradient(const Problem& problem, int64_t n_out, std::span<const float> gout) {
  return bias_gradient<true>(problem, n_out, gout);
}

Expected compute_exact_bias_gradient(const Problem& problem, int64_t n_out,
                                     std::span<const float> gout) {
  return bias_gradient<false>(problem, n_out, gout);
}

}  // namespace spb::reference
