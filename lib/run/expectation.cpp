// SPDX-License-Identifier: Apache-2.0
#include "run/expectation.h"

#include <algorithm>
#include <cmath>
#include <tuple>
#include <utility>

#include "core/error.h"
#include "core/tensors.h"

namespace spb::run {
namespace {

constexpr int kMaxLevel = 40;

reference::Inputs view(const HostOperands& operands) {
  return {operands.in,       operands.weights, operands.bias,          operands.gout,
          operands.residual, operands.scale,   operands.residual_scale};
}

double largest(const std::vector<double>& values) {
  return values.empty() ? 0 : *std::ranges::max_element(values);
}

/// Operands and reference result at one level of thinning.
void compute(Expectation& e, const VoxelSet& voxels, const MapSet& map) {
  const ExpectationRequest& request = e.request;
  const Problem& problem = request.problem;
  const auto n_in = input_rows(map, voxels), n_out = static_cast<int64_t>(map.out_coords.size());
  if (e.has_operands() && !e.operands.draws)
    verify::thin_operands(e.operands, problem, n_in, n_out, request.fill, e.level, request.seed);
  else
    e.draw_operands(voxels, map);
  if (request.drawn_only) return;
  const auto seen = e.seen();
  if (request.sampled && problem.direction == Direction::wgrad)
    e.channels = verify::sample_channels(problem, *seen, request.seed, request.sample_size);
  const auto compute = request.exact ? reference::compute_exact : reference::compute;
  HostOperands held;
  const HostOperands* read = e.channels ? &e.channels->operands : seen.get();
  if (read->draws) read = &(held = verify::held_for_rows(*seen, problem, e.rows, e.pairs));
  e.result = compute(e.compared_problem(), map, n_in, view(*read), e.rows, e.pairs);
  if (e.channels) e.channels->operands = HostOperands();
  e.largest_abs_sum = largest(e.result.main.abs_sum);
  // The bias gradient adds all of gout, as it is stored: only operands of a multiply are rounded to
  // TF32 or flushed.
  if (e.result.bias.rows == 0 || (!e.channels && e.is_seen_as_drawn())) return;
  const auto compute_bias =
      request.exact ? reference::compute_exact_bias_gradient : reference::compute_bias_gradient;
  Floats gout;
  const OperandDraw* how = e.operands.find_draw(Tensor::gout);
  if (how) gout = drawn_whole(*how);
  e.result.bias = compute_bias(problem, n_out, how ? gout : e.operands.gout);
}

/// What misses by less may still be made up by chance: it is tried.
constexpr double kChance = 1.25;

double most_sum(const ExpectationRequest& request) {
  return request.max_abs_sum > 0 ? std::min(request.max_abs_sum, 0x1p24) : 0x1p24;
}

int64_t most_pairs_of_an_offset(const MapSet& map) {
  int64_t most = 0;
  for (auto from = map.triples.begin(); from != map.triples.end();) {
    const auto to =
        std::ranges::upper_bound(from, map.triples.end(), from->offset, {}, &Triple::offset);
    most = std::max<int64_t>(most, to - from);
    from = to;
  }
  return most;
}

/// Of the elements that are computed: how many, about, and how many products those have on average,
/// of wgrad those of the offset that has most.
struct Computed {
  double elements, products;
};

Computed computed(const Expectation& e, const VoxelSet& voxels, const MapSet& map) {
  const Problem& problem = e.request.problem;
  if (problem.direction == Direction::wgrad) {
    const int most = e.request.sampled ? e.request.sample_size.channels : problem.c_out;
    const int64_t weights = int64_t{problem.kernel_volume()} * std::min(most, problem.c_out) *
                            std::min(most, problem.group_c_in());
    return {static_cast<double>(weights), static_cast<double>(most_pairs_of_an_offset(map))};
  }
  const GemmView view =
      gemm_view(problem, {input_rows(map, voxels), static_cast<int64_t>(map.out_coords.size())});
  const int64_t rows = e.rows.empty() ? view.m : static_cast<int64_t>(e.rows.size());
  const auto products = static_cast<double>(map.triples.size()) * view.k;
  return {static_cast<double>(rows * view.n), products / static_cast<double>(view.m)};
}

/// The first level that may be exact, from the mean sum of an element, below which the largest
/// cannot be, and from the largest of n values as if they were normal: sqrt(2 ln n) deviations.
int first_level(const Expectation& e, const VoxelSet& voxels, const MapSet& map) {
  const ExpectationRequest& request = e.request;
  const Problem& problem = request.problem;
  constexpr size_t kMany = 1000;
  if (map.triples.size() < kMany) return 0;
  const auto [elements, products] = computed(e, voxels, map);
  const double deviations = std::sqrt(2 * std::log(std::max(elements, 1.0)));
  int level = 0;
  for (; level < kMaxLevel; ++level) {
    const auto mean = verify::product_moments(request.fill, level, problem.dtype);
    const Math& math = info(problem.dtype);
    // Scales bring sums of floats within what outputs hold.
    const double most_value =
        has_scales(problem) && !math.is_integer() ? HUGE_VAL : math.output().max;
    if (products * mean.abs <= kChance * most_sum(request) &&
        deviations * std::sqrt(products * mean.square) <= kChance * most_value)
      break;
  }
  return level;
}

/// The first level after `level` that may be exact by what thinning does to sums and values.
int next_level(const Expectation& e, int level) {
  const ExpectationRequest& request = e.request;
  double largest_value = 0;
  for (const double value : e.result.main.value)
    largest_value = std::max(largest_value, std::abs(value));
  const auto moments = [&](int at) {
    return verify::product_moments(request.fill, at, request.problem.dtype);
  };
  const auto now = moments(level);
  for (int next = level + 1; next < kMaxLevel; ++next) {
    const auto then = moments(next);
    // Terms have random signs: values shrink as the root of their squares.
    if (e.largest_abs_sum * then.abs / now.abs <= kChance * most_sum(request) &&
        largest_value * std::sqrt(then.square / now.square) <=
            kChance * info(request.problem.dtype).output().max)
      return next;
  }
  return kMaxLevel + 1;
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

bool Expectation::is_seen_as_drawn() const {
  return !request.flushes && !info(request.problem.dtype).rounds_operands;
}

std::shared_ptr<const HostOperands> Expectation::seen() const {
  if (is_seen_as_drawn()) return {std::shared_ptr<const void>(), &operands};  // owns nothing
  const Dtype dtype = request.problem.dtype;
  const auto seen = std::make_shared<HostOperands>(
      info(dtype).rounds_operands ? verify::rounded(operands, dtype) : operands);
  if (request.flushes) verify::flush_subnormals(*seen, dtype);
  return seen;
}

std::shared_ptr<const HostOperands> Expectation::seen_and_held() const {
  auto seen_ones = seen();
  if (seen_ones->draws) return std::make_shared<HostOperands>(verify::held(*seen_ones));
  return seen_ones;
}

void Expectation::draw_operands(const VoxelSet& voxels, const MapSet& map) {
  const auto n_in = input_rows(map, voxels), n_out = static_cast<int64_t>(map.out_coords.size());
  const auto make = [&](auto fill) {
    return fill(request.problem, n_in, n_out, request.fill, level, request.seed);
  };
  auto to_draw = request.drawn_apart ? make(verify::operands_to_draw) : std::nullopt;
  operands = to_draw ? *std::move(to_draw) : make(verify::fill_operands);
}

std::vector<int64_t> Expectation::whole_indices() const {
  std::vector<int64_t> indices(result.main.value.size());
  for (size_t at = 0; at < indices.size(); ++at)
    indices[at] = whole_index(static_cast<int64_t>(at));
  return indices;
}

int64_t Expectation::whole_index(int64_t at) const {
  const int64_t cols = result.main.cols, row = at / cols, col = at % cols;
  if (!channels) return (rows.empty() ? row : rows[static_cast<size_t>(row)]) * cols + col;
  const Problem& part = channels->problem;
  const int64_t kernel_volume = part.kernel_volume(), j = row / kernel_volume;
  const int64_t i = j / part.group_c_out() * cols + col;
  const int64_t whole_row =
      channels->out[static_cast<size_t>(j)] * kernel_volume + row % kernel_volume;
  const int of_group = request.problem.group_c_in();
  return whole_row * of_group + channels->in[static_cast<size_t>(i)] % of_group;
}

const verify::ExactSums& Expectation::exact_sums(const MapSet& map, int64_t n_in) const {
  if (!exact_sums_)
    exact_sums_ = verify::exact_sums(request.problem, map, n_in, *seen_and_held(), request.seed);
  return *exact_sums_;
}

const verify::BoundedSums& Expectation::bounded_sums(const MapSet& map, int64_t n_in) const {
  if (!bounded_sums_)
    bounded_sums_ =
        verify::bounded_sums(request.problem, map, n_in, *seen_and_held(), request.seed);
  return *bounded_sums_;
}

bool has_same_sample(const ExpectationRequest& a, const ExpectationRequest& b) {
  const auto sample = [](const ExpectationRequest& of) {
    return std::tie(of.problem, of.sampled, of.drawn_only, of.sample_macs, of.sample_size, of.seed);
  };
  return sample(a) == sample(b);
}

Expectation expect(const ExpectationRequest& request, const VoxelSet& voxels, const MapSet& map,
                   const Expectation* known) {
  Expectation e;
  e.request = request;
  const bool has_rows =
      request.sampled && !request.drawn_only && request.problem.direction != Direction::wgrad;
  if (has_rows && known) {
    e.rows = known->rows;
    e.pairs = known->pairs;
  } else if (has_rows) {
    e.rows = verify::sample_rows(request.problem, voxels, map, request.sample_macs, request.seed,
                                 request.sample_size);
    e.pairs = verify::pairs_of_rows(map, request.problem.direction == Direction::fprop, e.rows);
  }
  const bool thinned = request.exact && verify::is_thinned(request.fill);
  e.level = thinned ? first_level(e, voxels, map) : 0;
  compute(e, voxels, map);
  if (!thinned) return e;
  while (!is_exact(e)) {
    e.level = next_level(e, e.level);
    if (e.level > kMaxLevel)
      throw Error(ExitCode::runtime, std::string("exact ") + verify::name(request.fill) +
                                         ": no thinning keeps the sums exact");
    compute(e, voxels, map);
  }
  return e;
}

int64_t Expectation::bytes() const {
  int64_t total = 0;
  const auto add = [&](const auto&... vectors) {
    (..., (total += static_cast<int64_t>(vectors.size() * sizeof(vectors[0]))));
  };
  add(rows, pairs, operands.in, operands.weights, operands.bias, operands.gout, operands.residual,
      operands.scale, operands.residual_scale);
  const Expected& main = result.main;
  add(main.value, main.error_scale, main.partial_scale, main.abs_sum, main.terms, main.before);
  if (exact_sums_) add(exact_sums_->want);
  if (bounded_sums_) add(bounded_sums_->want, bounded_sums_->terms);
  return total;
}

}  // namespace spb::run
