// SPDX-License-Identifier: Apache-2.0
#include "reference/epilogue.h"
#include "reference/products.h"

namespace spb::reference {
namespace {

template <bool kScales>
Result compute_as(const Problem& problem, const MapSet& map, int64_t n_in, const Inputs& inputs,
                  std::span<const int64_t> rows, std::span<const Triple> pairs) {
  Result result;
  const bool grouped = problem.groups > 1;
  if (problem.direction != Direction::wgrad) {
    const auto products = grouped ? grouped_row_products<kScales> : row_products<kScales>;
    result.main = products(problem, map, n_in, inputs, rows,
                           pairs.empty() ? std::span<const Triple>(map.triples) : pairs);
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

/// Of scaled dtypes. Exact sums of integers are products in fp64, too: they have up to 31 bits.
Result compute_scaled(const Problem& problem, const MapSet& map, int64_t n_in, const Inputs& inputs,
                      std::span<const int64_t> rows, std::span<const Triple> pairs, bool exact) {
  Problem sums = problem;
  sums.bias = false;
  sums.epilogue = {};
  const auto compute =
      exact && !info(problem.dtype).is_integer() ? compute_as<false> : compute_as<true>;
  Result result = compute(sums, map, n_in, inputs, rows, pairs);
  scale_sums(problem, inputs, rows, exact, result.main);
  return result;
}

}  // namespace

Result compute(const Problem& problem, const MapSet& map, int64_t n_in, const Inputs& inputs,
               std::span<const int64_t> rows, std::span<const Triple> pairs) {
  if (has_scales(problem)) return compute_scaled(problem, map, n_in, inputs, rows, pairs, false);
  return compute_as<true>(problem, map, n_in, inputs, rows, pairs);
}

Result compute_exact(const Problem& problem, const MapSet& map, int64_t n_in, const Inputs& inputs,
                     std::span<const int64_t> rows, std::span<const Triple> pairs) {
  if (has_scales(problem)) return compute_scaled(problem, map, n_in, inputs, rows, pairs, true);
  if (!info(problem.dtype).is_integer())
    return compute_as<false>(problem, map, n_in, inputs, rows, pairs);
  // What i8_i32 stores has up to 31 bits as well.
  Result result = compute_as<true>(problem, map, n_in, inputs, rows, pairs);
  result.main.error_scale.clear();
  result.main.partial_scale.clear();
  return result;
}

Expected compute_bias_gradient(const Problem& problem, int64_t n_out, std::span<const float> gout) {
  return bias_gradient<true>(problem, n_out, gout);
}

Expected compute_exact_bias_gradient(const Problem& problem, int64_t n_out,
                                     std::span<const float> gout) {
  return bias_gradient<false>(problem, n_out, gout);
}

}  // namespace spb::reference
