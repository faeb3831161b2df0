// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>
#include <utility>

#include "core/operand_draw.h"
#include "core/parallel.h"
#include "core/power_of_two.h"
#include "core/tensors.h"
#include "verify/integers.h"
#include "verify/scales.h"
#include "verify/single_product.h"
#include "verify/specials.h"
#include "verify/verify.h"

namespace spb::verify {
namespace {

/// Of an operand at a level of thinning.
using DrawOf = Draw (*)(int level, Dtype dtype);
using Kind = Draw::Kind;

/// -a ... a with a = 4, 3, 2, 1 at levels 0 to 3, then ever sparser.
Draw small(int level, Dtype) {
  const int amplitude = std::max(4 - level, 1);
  return {.kind = Kind::integer,
          .first = -amplitude,
          .count = static_cast<uint32_t>(2 * amplitude + 1),
          .present = level > 3 ? power_of_two(3 - level) : 1};
}

/// Odd integers that fill the operand's significant bits. fp32 stays at 12, one more than TF32 and
/// fp16 hold, to leave room for sums. TF32 gets 13 bits = 3 mod 4: rounding to its 11 bits goes up,
/// truncation down.
Draw many_bits(int, Dtype dtype) {
  if (dtype == Dtype::tf32) return {.kind = Kind::odd, .first = 4096 + 3, .step = 4, .count = 1024};
  const uint32_t half = 1u << (std::min(info(dtype).operand_bits, 12) - 1);
  return {.kind = Kind::odd, .first = static_cast<int>(half) + 1, .step = 2, .count = half / 2};
}

/// +-1 with probability 2/3, halved at each level, else 0.
Draw few(int level, Dtype) {
  return {.kind = Kind::sign, .present = 2.0 / 3 * power_of_two(-level)};
}

Draw zero(int, Dtype) { return {}; }
Draw relu(int, Dtype) { return {.kind = Kind::half_normal}; }
Draw narrow_normal(int, Dtype) { return {.kind = Kind::normal, .factor = 0.03}; }
Draw magnitude(int, Dtype) { return {.kind = Kind::half_normal, .factor = 0.03}; }
Draw above_three(int, Dtype) { return {.kind = Kind::uniform, .shift = 3}; }
Draw uniform(int, Dtype) { return {.kind = Kind::uniform, .factor = 2, .shift = -0.5}; }
Draw wide_range(int, Dtype) { return {.kind = Kind::log_uniform, .first = -8, .count = 16}; }
Draw low_range(int, Dtype) { return {.kind = Kind::log_uniform, .first = -12, .count = 8}; }

/// Means over the elements of one draw, for those that are thinned.
struct Moments {
  double abs, square;
};

Moments of_small(int level, Dtype) {
  const double amplitude = std::max(4 - level, 1);
  const double present = level > 3 ? std::ldexp(1.0, 3 - level) : 1.0;
  return {present * amplitude * (amplitude + 1) / (2 * amplitude + 1),
          present * amplitude * (amplitude + 1) / 3};
}
Moments of_many_bits(int, Dtype dtype) {
  const double low =
      dtype == Dtype::tf32 ? 4096 : std::ldexp(1.0, std::min(info(dtype).operand_bits, 12) - 1);
  return {1.5 * low, 2.25 * low * low + low * low / 12};  // uniform between low and 2 low
}
Moments of_few(int level, Dtype) {
  const double present = std::ldexp(2.0 / 3, -level);
  return {present, present};
}

struct FillRow {
  Fill fill;
  const char* name;
  DrawOf a, b;  // of the first and second operand of the product
  DrawOf bias;  // and residual
  Moments (*moments_a)(int level, Dtype dtype) = nullptr;
  Moments (*moments_b)(int level, Dtype dtype) = nullptr;
};

constexpr FillRow kFills[] = {
    {Fill::small, "small", small, small, small, of_small, of_small},
    {Fill::wide_a, "wide-a", many_bits, few, small, of_many_bits, of_few},
    {Fill::wide_b, "wide-b", few, many_bits, small, of_few, of_many_bits},
    {Fill::single_a, "single-a", whole_range, near_one, zero},
    {Fill::single_b, "single-b", near_one, whole_range, zero},
    {Fill::relu, "relu", relu, narrow_normal, uniform},
    {Fill::uniform, "uniform", uniform, uniform, uniform},
    {Fill::range, "range", wide_range, low_range, uniform},
    {Fill::special, "special", uniform, narrow_normal, uniform},
    {Fill::lifted, "lifted", relu, magnitude, above_three},
    {Fill::full, "full", any_i8, any_i8, broad},
    {Fill::tied, "tied", small, small, small},
    {Fill::loud, "loud", loud, loud, broad},
};

const FillRow& row_of(Fill fill) { return kFills[static_cast<size_t>(fill)]; }

/// Streams of random numbers, by operand.
enum Stream : uint64_t { kIn = 1, kWeights = 2, kBias = 3, kGout = 4, kResidual = 5 };

class Filler {
 public:
  Filler(const Problem& problem, int64_t n_in, int64_t n_out, Fill fill, int level, uint64_t seed)
      : problem_(problem), row_(row_of(fill)), size_{n_in, n_out}, level_(level), seed_(seed) {}

  OperandDraws draws() const {
    const bool is_special = row_.fill == Fill::special;
    const bool is_single = row_.fill == Fill::single_a || row_.fill == Fill::single_b;
    const auto operand = [&](DrawOf draw_of, Tensor tensor, Stream stream) {
      return drawn_by(draw_of, level_, problem_.dtype, count_of(tensor), stream);
    };
    OperandDraws draws;
    switch (problem_.direction) {
      case Direction::fprop:
        draws.in = operand(row_.a, Tensor::in, kIn);
        draws.weights = operand(row_.b, Tensor::weights, kWeights);
        // It is not thinned, nor is the bias: one term matters little to a sum. It is stored as
        // outputs are: tf32 does not round it.
        if (problem_.epilogue.residual)
          draws.residual =
              drawn_by(row_.bias, 0, problem_.dtype, count_of(Tensor::residual), kResidual);
        if (is_special) draws.in->patches = specials(problem_, size_.n_in, seed_);
        if (is_single) cut_down(*draws.weights);
        break;
      case Direction::dgrad:
        draws.gout = operand(row_.a, Tensor::gout, kGout);
        draws.weights = operand(row_.b, Tensor::weights, kWeights);
        if (is_special) draws.gout->patches = specials(problem_, size_.n_out, seed_);
        if (is_single) cut_down(*draws.weights);
        break;
      case Direction::wgrad:
        // One of a row is left of gout, as of weights elsewhere.
        draws.gout = operand(is_single ? row_.b : row_.a, Tensor::gout, kGout);
        draws.in = operand(is_single ? row_.a : row_.b, Tensor::in, kIn);
        if (is_special) draws.in->patches = specials(problem_, size_.n_in, seed_);
        if (is_single) cut_down(*draws.gout);
        break;
    }
    return draws;
  }

  void fill_large(HostOperands& operands) const {
    const OperandDraws how = draws();
    for (const TensorSpec& spec : tensors(problem_, size_))
      if (const OperandDraw* operand = how.find(spec.tensor))
        *operands.find(spec.tensor) = drawn_whole(*operand);
    if (row_.fill != Fill::loud) return;
    // No two products of an output cancel.
    const bool forward = problem_.direction == Direction::fprop;
    align_signs(forward ? operands.in : operands.gout, forward ? problem_.c_in : problem_.c_out,
                seed_);
    if (forward)
      align_signs(operands.weights, weight_row_pitch(problem_), seed_ + 1);
    else if (problem_.direction == Direction::dgrad)
      align_signs_of_columns(operands.weights, problem_.group_c_in(), seed_ + 1);
  }

  void fill_small(HostOperands& operands) const {
    // The bias is fp32 for every dtype.
    if (problem_.direction == Direction::fprop && problem_.bias)
      operands.bias = drawn_whole(drawn_by(row_.bias, 0, Dtype::f32, problem_.c_out, kBias));
    if (problem_.direction != Direction::wgrad && has_scales(problem_))
      put_scales(operands, problem_, row_.fill);
  }

 private:
  int64_t count_of(Tensor tensor) const {
    const std::vector<TensorSpec> specs = tensors(problem_, size_);
    return std::ranges::find(specs, tensor, &TensorSpec::tensor)->shape.count();
  }
  OperandDraw drawn_by(DrawOf draw_of, int level, Dtype dtype, int64_t count, Stream stream) const {
    OperandDraw operand{draw_of(level, dtype), count};
    operand.draw.seed = seed_;
    operand.draw.stream = stream;
    // TF32 operands are stored as fp32 and rounded by the device, so they keep their bits here.
    if (!info(dtype).rounds_operands) operand.storage = info(dtype).in;
    return operand;
  }

  /// To one value for each column of the output, and zeros.
  void cut_down(OperandDraw& operand) const {
    for (const int64_t element : one_per_column(problem_, size_.n_out, seed_))
      operand.patches.push_back({element, drawn(operand, element)});
    operand.draw.kind = Kind::zero;
  }

  const Problem& problem_;
  const FillRow& row_;
  MapSize size_;
  int level_;
  uint64_t seed_;
};

/// With what a multiply does to each of its operands.
template <typename Change>
HostOperands with_draws(const HostOperands& operands, const Change& change) {
  OperandDraws draws = *operands.draws;
  for (std::optional<OperandDraw>* operand : {&draws.in, &draws.weights, &draws.gout}) {
    if (!*operand) continue;
    change(**operand);
    for (Patch& patch : (*operand)->patches) patch.value = (*operand)->seen(patch.value);
  }
  HostOperands changed = operands;
  changed.draws = std::make_shared<const OperandDraws>(std::move(draws));
  return changed;
}

}  // namespace

const char* name(Fill fill) { return row_of(fill).name; }

HostOperands fill_operands(const Problem& problem, int64_t n_in, int64_t n_out, Fill fill,
                           int level, uint64_t seed) {
  const Filler filler(problem, n_in, n_out, fill, level, seed);
  HostOperands operands;
  filler.fill_small(operands);
  filler.fill_large(operands);
  return operands;
}

std::optional<HostOperands> operands_to_draw(const Problem& problem, int64_t n_in, int64_t n_out,
                                             Fill fill, int level, uint64_t seed) {
  if (fill == Fill::loud) return std::nullopt;
  const Filler filler(problem, n_in, n_out, fill, level, seed);
  HostOperands operands;
  filler.fill_small(operands);
  operands.draws = std::make_shared<const OperandDraws>(filler.draws());
  return operands;
}

void thin_operands(HostOperands& operands, const Problem& problem, int64_t n_in, int64_t n_out,
                   Fill fill, int level, uint64_t seed) {
  if (!is_thinned(fill)) return;
  const OperandDraws draws = Filler(problem, n_in, n_out, fill, level, seed).draws();
  for (const Tensor tensor : {Tensor::in, Tensor::weights, Tensor::gout}) {
    const OperandDraw* operand = draws.find(tensor);
    // Odd integers have all their bits at any level.
    if (operand && operand->draw.kind != Kind::odd) *operands.find(tensor) = drawn_whole(*operand);
  }
}

bool is_lifted(const Problem& problem) {
  return problem.epilogue.activation != Activation::hswish || problem.bias ||
         problem.epilogue.residual;
}

bool is_thinned(Fill fill) { return row_of(fill).moments_a != nullptr; }

ProductMoments product_moments(Fill fill, int level, Dtype dtype) {
  const FillRow& row = row_of(fill);
  if (!row.moments_a) throw std::invalid_argument(std::string(row.name) + " is not thinned");
  const Moments a = row.moments_a(level, dtype), b = row.moments_b(level, dtype);
  return {a.abs * b.abs, a.square * b.square};
}

HostOperands rounded(const HostOperands& operands, Dtype dtype) {
  if (operands.draws)
    return with_draws(operands, [&](OperandDraw& operand) {
      operand.rounds_to_tf32 = info(dtype).multiply == Multiply::tf32;
    });
  constexpr int64_t kChunk = 1 << 16;
  const auto round = [&](const Floats& values) {
    Floats result(values.size());
    const auto count = static_cast<int64_t>(values.size());
    parallel_for((count + kChunk - 1) / kChunk, [&](int64_t chunk) {
      const int64_t begin = chunk * kChunk, size = std::min(kChunk, count - begin);
      std::copy_n(values.begin() + begin, size, result.begin() + begin);
      round_operands(
          std::span(result).subspan(static_cast<size_t>(begin), static_cast<size_t>(size)), dtype);
    });
    return result;
  };
  return {.in = round(operands.in),
          .weights = round(operands.weights),
          .bias = operands.bias,
          .gout = round(operands.gout),
          .residual = operands.residual,
          .scale = operands.scale,
          .residual_scale = operands.residual_scale};
}

void flush_subnormals(HostOperands& operands, Dtype dtype) {
  constexpr int64_t kChunk = 1 << 16;
  const auto least = static_cast<float>(std::ldexp(1.0, info(dtype).input().min_exponent));
  if (operands.draws) {
    operands = with_draws(operands, [&](OperandDraw& operand) { operand.least = least; });
    return;
  }
  for (Floats* values : {&operands.in, &operands.weights, &operands.gout}) {
    const auto count = static_cast<int64_t>(values->size());
    parallel_for((count + kChunk - 1) / kChunk, [&](int64_t chunk) {
      const auto begin = values->begin() + chunk * kChunk;
      std::replace_if(
          begin, begin + std::min(kChunk, count - chunk * kChunk),
          [least](float value) { return std::abs(value) < least; }, 0.f);
    });
  }
}

bool exact_enough(const Expected& expected, Dtype dtype) {
  // Equality is refused: an fp32 sum of ones sticks at 2^24.
  constexpr double kLimit = 0x1p24;
  if (!std::ranges::all_of(expected.abs_sum, [](double sum) { return sum < kLimit; })) return false;
  return std::ranges::all_of(
      expected.value, [&](double value) { return std::abs(value) <= info(dtype).output().max; });
}

}  // namespace spb::verify
