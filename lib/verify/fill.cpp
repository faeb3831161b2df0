// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <bit>
#include <cmath>
#include <stdexcept>

#include "core/parallel.h"
#include "core/tensors.h"
#include "verify/integers.h"
#include "verify/random.h"
#include "verify/rounding.h"
#include "verify/scales.h"
#include "verify/single_product.h"
#include "verify/specials.h"
#include "verify/verify.h"

namespace spb::verify {
namespace {

using Draw = float (*)(Random&, int level, Dtype dtype);

/// -a ... a with a = 4, 3, 2, 1 at levels 0 to 3, then ever sparser.
float draw_small(Random& random, int level, Dtype) {
  const int amplitude = std::max(4 - level, 1);
  if (level > 3 && random.uniform() >= power_of_two(3 - level)) return 0;
  return static_cast<float>(static_cast<int>(random.below(2 * amplitude + 1)) - amplitude);
}

/// Odd integers that fill the operand's significant bits. fp32 stays at 12, one more than TF32 and
/// fp16 hold, to leave room for sums. TF32 gets 13 bits = 3 mod 4: rounding to its 11 bits goes up,
/// truncation down.
float draw_many_bits(Random& random, int, Dtype dtype) {
  if (dtype == Dtype::tf32)
    return random.sign() * static_cast<float>(4096 + 4 * random.below(1024) + 3);
  const int bits = std::min(info(dtype).operand_bits, 12);
  const uint32_t half = 1u << (bits - 1);
  return random.sign() * static_cast<float>(half + 2 * random.below(half / 2) + 1);
}

/// +-1 with probability 2/3, halved at each level, else 0.
float draw_few(Random& random, int level, Dtype) {
  const uint32_t present = random.uniform() < 2.0 / 3 * power_of_two(-level);
  return std::bit_cast<float>(std::bit_cast<uint32_t>(random.sign()) & -present);
}

float draw_relu(Random& random, int, Dtype) { return static_cast<float>(random.half_normal()); }
float draw_narrow_normal(Random& random, int, Dtype) {
  return static_cast<float>(0.03 * random.normal());
}
float draw_magnitude(Random& random, int, Dtype) {
  return static_cast<float>(0.03 * random.half_normal());
}
float draw_above_three(Random& random, int, Dtype) {
  return static_cast<float>(3 + random.uniform());
}
float draw_uniform(Random& random, int, Dtype) {
  return static_cast<float>(2 * random.uniform() - 1);
}
float draw_wide_range(Random& random, int, Dtype) {
  return static_cast<float>(random.log_uniform(-8, 8));
}
float draw_low_range(Random& random, int, Dtype) {
  return static_cast<float>(random.log_uniform(-12, -4));
}

/// A run of elements: one call for each would cost more than most of them.
using DrawRun = void (*)(Random&, int level, Dtype dtype, std::span<float> values);
template <Draw draw_one>
void run_of(Random& random, int level, Dtype dtype, std::span<float> values) {
  for (float& value : values) value = draw_one(random, level, dtype);
  // TF32 operands are stored as fp32 and rounded by the device, so they keep their bits here.
  if (!info(dtype).rounds_operands) round_operands(values, dtype);
}

float draw_zero(Random&, int, Dtype) { return 0; }

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
  DrawRun a, b;  // of the first and second operand of the product
  DrawRun bias;  // and residual
  Moments (*moments_a)(int level, Dtype dtype) = nullptr;
  Moments (*moments_b)(int level, Dtype dtype) = nullptr;
};

constexpr DrawRun kSmall = run_of<draw_small>, kManyBits = run_of<draw_many_bits>,
                  kFew = run_of<draw_few>, kRelu = run_of<draw_relu>,
                  kNarrow = run_of<draw_narrow_normal>, kUniform = run_of<draw_uniform>,
                  kWideRange = run_of<draw_wide_range>, kLowRange = run_of<draw_low_range>,
                  kWhole = run_of<draw_whole_range>, kNearOne = run_of<draw_near_one>,
                  kMagnitude = run_of<draw_magnitude>, kAboveThree = run_of<draw_above_three>,
                  kZero = run_of<draw_zero>, kAny = run_of<draw_any_i8>,
                  kLoudest = run_of<draw_loud>, kBroad = run_of<draw_broad>;

constexpr FillRow kFills[] = {
    {Fill::small, "small", kSmall, kSmall, kSmall, of_small, of_small},
    {Fill::wide_a, "wide-a", kManyBits, kFew, kSmall, of_many_bits, of_few},
    {Fill::wide_b, "wide-b", kFew, kManyBits, kSmall, of_few, of_many_bits},
    {Fill::single_a, "single-a", kWhole, kNearOne, kZero},
    {Fill::single_b, "single-b", kNearOne, kWhole, kZero},
    {Fill::relu, "relu", kRelu, kNarrow, kUniform},
    {Fill::uniform, "uniform", kUniform, kUniform, kUniform},
    {Fill::range, "range", kWideRange, kLowRange, kUniform},
    {Fill::special, "special", kUniform, kNarrow, kUniform},
    {Fill::lifted, "lifted", kRelu, kMagnitude, kAboveThree},
    {Fill::full, "full", kAny, kAny, kBroad},
    {Fill::tied, "tied", kSmall, kSmall, kSmall},
    {Fill::loud, "loud", kLoudest, kLoudest, kBroad},
};

const FillRow& row_of(Fill fill) { return kFills[static_cast<size_t>(fill)]; }

void draw(Floats& values, int64_t count, DrawRun draw_run, int level, Dtype dtype, uint64_t seed,
          uint64_t operand) {
  constexpr int64_t kChunk = 1 << 16;  // a generator of its own each: the same on any machine
  values.resize(static_cast<size_t>(count));
  parallel_for((count + kChunk - 1) / kChunk, [&](int64_t chunk) {
    Random random(seed, operand << 48 | static_cast<uint64_t>(chunk));
    const int64_t begin = chunk * kChunk;
    draw_run(random, level, dtype,
             std::span(values).subspan(static_cast<size_t>(begin),
                                       static_cast<size_t>(std::min(kChunk, count - begin))));
  });
}

class Filler {
 public:
  Filler(const Problem& problem, int64_t n_in, int64_t n_out, Fill fill, int level, uint64_t seed)
      : problem_(problem), row_(row_of(fill)), size_{n_in, n_out}, level_(level), seed_(seed) {}

  /// Draws the operands of the direction whose draw function `wanted` accepts.
  template <typename Wanted>
  void draw_all(HostOperands& operands, const Wanted& wanted) const {
    const std::vector<TensorSpec> specs = tensors(problem_, size_);
    const auto count_of = [&](Tensor tensor) {
      return std::ranges::find(specs, tensor, &TensorSpec::tensor)->shape.count();
    };
    const bool is_special = row_.fill == Fill::special;
    const bool is_single = row_.fill == Fill::single_a || row_.fill == Fill::single_b;
    const auto draw_operand = [&](Floats& values, Tensor tensor, DrawRun draw_run,
                                  uint64_t operand) {
      if (wanted(draw_run))
        draw(values, count_of(tensor), draw_run, level_, problem_.dtype, seed_, operand);
    };
    switch (problem_.direction) {
      case Direction::fprop:
        draw_operand(operands.in, Tensor::in, row_.a, 1);
        draw_operand(operands.weights, Tensor::weights, row_.b, 2);
        // The bias is fp32 for every dtype. It is not thinned: one term matters little to a sum.
        if (problem_.bias)
          draw(operands.bias, count_of(Tensor::bias), row_.bias, 0, Dtype::f32, seed_, 3);
        // Nor is the residual, which is stored as outputs are: tf32 does not round it.
        if (problem_.epilogue.residual && operands.residual.empty())
          draw(operands.residual, count_of(Tensor::residual), row_.bias, 0, problem_.dtype, seed_,
               5);
        if (is_special) put_specials(operands.in, problem_, seed_);
        if (is_single) keep_one_per_column(operands.weights, problem_, seed_);
        if (row_.fill == Fill::loud) {
          align_signs(operands.in, problem_.c_in, seed_);
          align_signs(operands.weights, weight_row_pitch(problem_), seed_ + 1);
        }
        if (has_scales(problem_)) put_scales(operands, problem_, row_.fill);
        break;
      case Direction::dgrad:
        draw_operand(operands.gout, Tensor::gout, row_.a, 4);
        draw_operand(operands.weights, Tensor::weights, row_.b, 2);
        if (is_special) put_specials(operands.gout, problem_, seed_);
        if (is_single) keep_one_per_column(operands.weights, problem_, seed_);
        if (row_.fill == Fill::loud) {
          align_signs(operands.gout, problem_.c_out, seed_);
          align_signs_of_columns(operands.weights, problem_.group_c_in(), seed_ + 1);
        }
        if (has_scales(problem_)) put_scales(operands, problem_, row_.fill);
        break;
      case Direction::wgrad:
        // One of a row is left of gout, as of weights elsewhere.
        draw_operand(operands.gout, Tensor::gout, is_single ? row_.b : row_.a, 4);
        draw_operand(operands.in, Tensor::in, is_single ? row_.a : row_.b, 1);
        if (is_special) put_specials(operands.in, problem_, seed_);
        if (is_single) keep_one_per_column(operands.gout, problem_, seed_);
        break;
    }
  }

 private:
  const Problem& problem_;
  const FillRow& row_;
  MapSize size_;
  int level_;
  uint64_t seed_;
};

}  // namespace

const char* name(Fill fill) { return row_of(fill).name; }

HostOperands fill_operands(const Problem& problem, int64_t n_in, int64_t n_out, Fill fill,
                           int level, uint64_t seed) {
  HostOperands operands;
  Filler(problem, n_in, n_out, fill, level, seed).draw_all(operands, [](DrawRun) { return true; });
  return operands;
}

void thin_operands(HostOperands& operands, const Problem& problem, int64_t n_in, int64_t n_out,
                   Fill fill, int level, uint64_t seed) {
  Filler(problem, n_in, n_out, fill, level, seed).draw_all(operands, [](DrawRun draw_run) {
    return draw_run == kSmall || draw_run == kFew;
  });
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
  return {round(operands.in), round(operands.weights), operands.bias,          round(operands.gout),
          operands.residual,  operands.scale,          operands.residual_scale};
}

void flush_subnormals(HostOperands& operands, Dtype dtype) {
  constexpr int64_t kChunk = 1 << 16;
  const auto least = static_cast<float>(std::ldexp(1.0, info(dtype).input().min_exponent));
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
