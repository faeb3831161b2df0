#include "run/expectation.h"

#include <algorithm>
#include <utility>

#include "core/error.h"

namespace spb::run {
namespace {

constexpr int kMaxLevel = 40;

reference::Inputs view(const verify::HostOperands& operands) {
  return {operands.in, operands.weights, operands.bias, operands.gout};
}

double largest(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::ranges::max_element(values);
}

/// The bias gradient adds gout as it is stored: only operands of a multiply are rounded to TF32.
/// One zero input channel makes the rest of the product cheap.
Expected bias_gradient(const Problem& problem, const std::vector<float>& gout, int64_t n_in,
                       const MapSet& map) {
  Problem narrow = problem;
  narrow.c_in = 1;
  const std::vector<float> zeros(static_cast<size_t>(n_in));
  return reference::compute(narrow, map, n_in, {zeros, {}, {}, gout}).bias;
}

/// Operands and reference result at one level of thinning.
void compute(Expectation& e, int level, const VoxelSet& voxels, const MapSet& map) {
  const ExpectationRequest& request = e.request;
  const Problem& problem = request.problem;
  const auto n_out = static_cast<int64_t>(map.out_coords.size());
  e.operands =
      verify::fill_operands(problem, voxels.size(), n_out, request.fill, level, request.seed);
  if (problem.dtype == Dtype::tf32) e.rounded = verify::rounded(e.operands, problem.dtype);
  if (request.sampled && problem.direction == Direction::wgrad)
    e.channels = verify::sample_channels(problem, e.seen(), request.seed);
  const auto compute = request.exact ? reference::compute_exact : reference::compute;
  e.result = compute(e.compared_problem(), map, voxels.size(),
                     view(e.channels ? e.channels->operands : e.seen()), e.rows);
  e.largest_abs_sum = largest(e.result.main.abs_sum);
  if (problem.dtype != Dtype::tf32 || e.result.bias.rows == 0 || request.exact) return;
  const bool sampled = e.channels.has_value();
  e.result.bias = bias_gradient(
      e.compared_problem(),
      sampled ? verify::sample_channels(problem, e.operands, request.seed).operands.gout
              : e.operands.gout,
      voxels.size(), map);
}

bool is_exact(Expectation& e) {
  const ExpectationRequest& request = e.request;
  const bool bias_is_exact = verify::exact_enough(e.result.bias, Dtype::f32);
  // Under wide_a the sum of gout stays what it is however few weights there are.
  const bool bias_decides = request.fill != verify::Fill::wide_a;
  e.bias_is_exact = bias_is_exact && bias_decides;
  return verify::exact_enough(e.result.main, request.problem.dtype) &&
         (bias_is_exact || !bias_decides) &&
         (request.max_abs_sum == 0 || e.largest_abs_sum <= request.max_abs_sum);
}

}  // namespace

std::vector<float> Expectation::pick_main(std::vector<float> whole) const {
  if (channels) return channels->pick(whole, request.problem.c_in);
  if (rows.empty()) return whole;
  const auto cols = static_cast<size_t>(result.main.cols);
  std::vector<float> picked;
  picked.reserve(rows.size() * cols);
  for (const int64_t row : rows) {
    const auto begin = whole.begin() + row * result.main.cols;
    picked.insert(picked.end(), begin, begin + result.main.cols);
  }
  return picked;
}

std::vector<float> Expectation::pick_bias(std::vector<float> whole) const {
  if (!channels) return whole;
  std::vector<float> picked;
  for (const int channel : channels->out) picked.push_back(whole[static_cast<size_t>(channel)]);
  return picked;
}

Expectation expect(const ExpectationRequest& request, const VoxelSet& voxels, const MapSet& map) {
  Expectation e;
  e.request = request;
  if (request.sampled && request.problem.direction != Direction::wgrad)
    e.rows = verify::sample_rows(request.problem, voxels, map, request.seed);
  compute(e, 0, voxels, map);
  if (!request.exact) return e;
  for (int level = 1; !is_exact(e); ++level) {
    if (level > kMaxLevel)
      throw Error(ExitCode::runtime, std::string("exact ") + verify::name(request.fill) +
                                         ": no thinning keeps the sums exact");
    compute(e, level, voxels, map);
  }
  return e;
}

int64_t bytes(const Expectation& expectation) {
  int64_t total = 0;
  for (const auto* operands : {&expectation.operands, &expectation.rounded})
    for (const auto* values : {&operands->in, &operands->weights, &operands->bias, &operands->gout})
      total += static_cast<int64_t>(values->size() * sizeof(float));
  const Expected& main = expectation.result.main;
  for (const auto* values :
       {&main.value, &main.error_scale, &main.partial_scale, &main.abs_sum, &main.terms})
    total += static_cast<int64_t>(values->size() * sizeof(double));
  return total;
}

}  // namespace spb::run
