// SPDX-License-Identifier: Apache-2.0
#include "naive_plan.h"

#include <algorithm>
#include <cmath>
#include <cstring>

#include "algorithms/named.h"
#include "gpu/buffer.h"

namespace spb::mutants {

std::vector<float> read_floats(const void* device, int64_t count, Storage storage,
                               const gpu::Stream& stream) {
  if (!device) return {};
  std::vector<std::byte> bytes(static_cast<size_t>(count * info(storage).bytes));
  gpu::copy_to_host(bytes.data(), device, static_cast<int64_t>(bytes.size()), stream);
  std::vector<float> values(static_cast<size_t>(count));
  decode(bytes.data(), storage, values);
  return values;
}

void write_floats(void* device, std::span<const float> values, Storage storage,
                  const gpu::Stream& stream) {
  std::vector<std::byte> bytes(values.size() * static_cast<size_t>(info(storage).bytes));
  encode(values, storage, bytes.data());
  gpu::copy_to_device(device, bytes.data(), static_cast<int64_t>(bytes.size()), stream);
}

void read_operands(State& state, const Operands& operands, const gpu::Stream& stream) {
  const Problem& p = state.problem;
  const Math& math = info(p.dtype);
  state.in = read_floats(operands.in, state.n_in * p.c_in, math.in, stream);
  state.gout = read_floats(operands.gout, state.n_out * p.c_out, math.in, stream);
  state.weights = read_floats(operands.weights, weight_count(p), math.weights, stream);
  state.bias = read_floats(operands.bias, p.c_out, Storage::f32, stream);
  state.residual = read_floats(operands.residual, state.n_out * p.c_out, math.out, stream);
  const bool is_dgrad = p.direction == Direction::dgrad;
  state.scale = read_floats(operands.scale, is_dgrad ? p.c_in : p.c_out, Storage::f32, stream);
  state.residual_scale = read_floats(operands.residual_scale, 1, Storage::f32, stream);
}

void write_result(State& state, const Hooks& hooks, const Operands& operands,
                  std::span<const float> result, const gpu::Stream& stream) {
  const Direction direction = state.problem.direction;
  void* output = direction == Direction::fprop   ? operands.out
                 : direction == Direction::dgrad ? operands.gin
                                                 : operands.gw;
  const Math& math = info(state.problem.dtype);
  if (!hooks.write) return write_floats(output, result, math.out, stream);
  std::vector<std::byte> bytes(result.size() * static_cast<size_t>(math.output().bytes));
  encode(result, math.out, bytes.data());
  hooks.write(state, operands, bytes, output, stream);
}

MapSet shown_map(const State& state, const Hooks& hooks) {
  MapSet shown = state.map;
  State scratch = state;
  if (hooks.exposed_map) hooks.exposed_map(scratch, shown);
  return shown;
}

namespace {

class NaivePlan final : public Plan {
 public:
  NaivePlan(const Problem& problem, std::unique_ptr<Plan> mapped, int64_t n_in,
            maps::BuildContext context, const Hooks& hooks)
      : mapped_(std::move(mapped)), hooks_(hooks) {
    state_.problem = problem;
    state_.guards = context.allocator.guards();
    state_.map = mapped_->map(context.stream);
    std::ranges::sort(state_.map.triples);
    state_.n_in = n_in;
    state_.n_out = mapped_->size().n_out;
    description_.kernel = "naive";
    description_.params_json = hooks.params;
    description_.arithmetic.dtype = problem.dtype;
  }

  void run(const Operands& operands, const gpu::Stream& stream) override;
  const PlanDescription& description() const override { return description_; }
  MapSize size() const override { return {state_.n_in, state_.n_out}; }
  MapSet map(const gpu::Stream&) const override { return shown_map(state_, hooks_); }

 private:
  template <class Sum>
  std::vector<Sum> compute() const;
  std::vector<float> sums();
  void finish(std::vector<float>& result);

  std::unique_ptr<Plan> mapped_;  // a correct algorithm's plan; only its map is used
  Hooks hooks_;
  State state_;
  PlanDescription description_;
};

using Multiply = float (*)(float, float);

// Most mutants have no hook here, and all wait for these loops. Inlined beside calls of a hook,
// which spare no register, the sum without one would be kept in memory, too.
template <class Sum>
[[gnu::noinline]] Sum dot(const float* a, const float* b, int n) {
  Sum sum = 0;
  for (int i = 0; i < n; ++i) sum += a[i] * b[i];
  return sum;
}

template <class Sum>
Sum dot(const float* a, const float* b, int n, Multiply multiply) {
  if (!multiply) return dot<Sum>(a, b, n);
  Sum sum = 0;
  for (int i = 0; i < n; ++i) sum += multiply(a[i], b[i]);
  return sum;
}

template <class Sum>
void add_product(const float* a, float b, int n, Multiply multiply, Sum* sums) {
  if (multiply)
    for (int i = 0; i < n; ++i) sums[i] += multiply(a[i], b);
  else
    for (int i = 0; i < n; ++i) sums[i] += a[i] * b;
}

template <class Sum>
std::vector<Sum> NaivePlan::compute() const {
  const Problem& p = state_.problem;
  const int kv = p.kernel_volume(), c_in = p.c_in, c_out = p.c_out;
  const int ins = p.group_c_in(), outs = p.group_c_out();
  std::vector<Sum> result(static_cast<size_t>(state_.rows() * state_.cols()));
  if (p.direction == Direction::fprop && !info(p.dtype).is_scaled() && !state_.bias.empty())
    for (size_t i = 0; i < result.size(); ++i) result[i] = state_.bias[i % state_.bias.size()];

  // Weights [c_out][kv][ins] of one output channel, of its input channels from 0 on.
  const auto weights = [&](int co, int o) {
    return state_.weights.data() + (int64_t{co} * kv + o) * ins;
  };
  const auto hooked = [&](int64_t index) {
    Sum& sum = result[static_cast<size_t>(index)];
    if (hooks_.accumulate) sum = hooks_.accumulate(static_cast<float>(sum));
  };
  std::vector<Sum> partial(static_cast<size_t>(c_in));
  for (const Triple& t : state_.map.triples) {
    if (hooks_.keeps && !hooks_.keeps(state_, t)) continue;
    const float* in = state_.in.data() + int64_t{t.in} * c_in;
    const float* gout = state_.gout.data() + int64_t{t.out} * c_out;
    const int o = hooks_.weights_of ? hooks_.weights_of(state_, t) : t.offset;
    switch (p.direction) {
      case Direction::fprop:
        for (int co = 0; co < c_out; ++co) {
          const int64_t sum = int64_t{t.out} * c_out + co;
          result[static_cast<size_t>(sum)] +=
              dot<Sum>(weights(co, o), in + co / outs * ins, ins, hooks_.multiply);
          hooked(sum);
        }
        break;
      case Direction::dgrad:
        std::ranges::fill(partial, Sum{0});
        for (int co = 0; co < c_out; ++co)
          add_product(weights(co, o), gout[co], ins, hooks_.multiply,
                      partial.data() + co / outs * ins);
        for (int ci = 0; ci < c_in; ++ci) {
          const int64_t sum = int64_t{t.in} * c_in + ci;
          result[static_cast<size_t>(sum)] += partial[static_cast<size_t>(ci)];
          hooked(sum);
        }
        break;
      case Direction::wgrad:
        for (int co = 0; co < c_out; ++co) {
          const int64_t row = (int64_t{co} * kv + t.offset) * ins;
          add_product(in + co / outs * ins, gout[co], ins, hooks_.multiply, result.data() + row);
          for (int ci = 0; hooks_.accumulate && ci < ins; ++ci) hooked(row + ci);
        }
        break;
    }
  }
  return result;
}

/// With bias and residual; of scaled dtypes requantized. Doubles hold the sums of integers.
std::vector<float> NaivePlan::sums() {
  if (has_scales(state_.problem)) {
    std::vector<double> sums;
    if (info(state_.problem.dtype).is_integer())
      sums = compute<double>();
    else
      for (const float sum : compute<float>()) sums.push_back(static_cast<double>(sum));
    return hooks_.requantize ? hooks_.requantize(state_, sums) : requantized(state_, sums);
  }
  if (info(state_.problem.dtype).stores_sums()) {
    std::vector<float> stored;
    for (const double sum : compute<double>())
      stored.push_back(round_output(sum, state_.problem.dtype));
    return stored;
  }
  std::vector<float> result = compute<float>();
  if (state_.problem.epilogue.residual)
    for (size_t i = 0; i < result.size(); ++i) result[i] += state_.residual[i];
  return result;
}

/// Makes outputs of sums.
void NaivePlan::finish(std::vector<float>& result) {
  if (hooks_.epilogue)
    hooks_.epilogue(state_, result);
  else
    activate_all(state_, result);
  if (hooks_.store)
    for (float& value : result) value = hooks_.store(value);
}

void NaivePlan::run(const Operands& operands, const gpu::Stream& stream) {
  const Problem& p = state_.problem;
  read_operands(state_, operands, stream);
  const std::vector<float> unrounded_gout = state_.gout;
  for (auto* values : {&state_.in, &state_.gout, &state_.weights})
    for (float& value : *values)
      value = hooks_.load ? hooks_.load(value) : round_operand(value, p.dtype);
  if (hooks_.operands) hooks_.operands(state_);

  std::vector<float> result = sums();
  finish(result);
  if (hooks_.result) hooks_.result(state_, result);
  ++state_.runs;
  write_result(state_, hooks_, operands, result, stream);
  if (p.direction == Direction::wgrad && operands.gbias) {
    std::vector<float> gbias(static_cast<size_t>(p.c_out), 0.f);
    for (size_t i = 0; i < unrounded_gout.size(); ++i) gbias[i % gbias.size()] += unrounded_gout[i];
    write_floats(operands.gbias, gbias, Storage::f32, stream);
  }
}

}  // namespace

float activated(const Epilogue& epilogue, float sum) {
  switch (epilogue.activation) {
    case Activation::none:
      break;
    case Activation::relu:
      return sum < 0 ? 0 : sum;
    case Activation::leaky_relu:
      return sum < 0 ? epilogue.slope * sum : sum;
    case Activation::hswish:
      return sum * std::clamp(sum + 3, 0.f, 6.f) * (1.f / 6);
  }
  return sum;
}

void activate_all(const State& state, std::vector<float>& sums) {
  for (float& sum : sums) sum = activated(state.problem.epilogue, sum);
}

std::vector<float> requantized(const State& state, const std::vector<double>& sums) {
  std::vector<float> result(sums.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    const size_t channel = i % state.scale.size();
    float added = state.bias.empty() ? 0.f : state.bias[channel];
    if (!state.residual.empty())
      added = std::fma(state.residual_scale[0], state.residual[i], added);
    result[i] = std::fma(state.scale[channel], static_cast<float>(sums[i]), added);
  }
  return result;
}

int64_t State::rows() const {
  switch (problem.direction) {
    case Direction::fprop:
      return n_out;
    case Direction::dgrad:
      return n_in;
    case Direction::wgrad:
      break;
  }
  return int64_t{problem.c_out} * problem.kernel_volume();
}

int64_t State::cols() const {
  if (problem.direction == Direction::wgrad) return problem.group_c_in();
  return problem.direction == Direction::fprop ? problem.c_out : problem.c_in;
}

namespace {
const Algorithm& correct() { return algorithm_named("implicit_gemm"); }
/// Every device has kernels for f32 and one group; maps have neither.
Case mapped(Case of) {
  of.problem.dtype = Dtype::f32;
  of.problem.groups = 1;
  return of;
}
}  // namespace

maps::MapNeeds naive_needs(const Case& of) { return correct().needs_of(mapped(of)); }

std::unique_ptr<Plan> naive_plan(const Case& of, const maps::Maps& maps, maps::BuildContext context,
                                 const Hooks& hooks) {
  return std::make_unique<NaivePlan>(of.problem, correct().plan_with(mapped(of), maps, context),
                                     of.n_in, context, hooks);
}

}  // namespace spb::mutants
