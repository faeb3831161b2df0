#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "verify/random.h"
#include "verify/verify.h"

namespace spb::verify {
namespace {

using Draw = float (*)(Random&, int level, Dtype dtype);

/// -a ... a with a = 4, 3, 2, 1 at levels 0 to 3, then ever sparser.
float draw_small(Random& random, int level, Dtype) {
  const int amplitude = std::max(4 - level, 1);
  if (level > 3 && random.uniform() >= std::ldexp(1.0, 3 - level)) return 0;
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
  const bool present = random.uniform() < std::ldexp(2.0 / 3, -level);
  const float sign = random.sign();
  return present ? sign : 0.0f;
}

float draw_relu(Random& random, int, Dtype) {
  return static_cast<float>(std::max(0.0, random.normal()));
}
float draw_narrow_normal(Random& random, int, Dtype) {
  return static_cast<float>(0.03 * random.normal());
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

struct FillRow {
  Fill fill;
  const char* name;
  Draw a, b;  // of the first and second operand of the product
  Draw bias;
};

constexpr FillRow kFills[] = {
    {Fill::small, "small", draw_small, draw_small, draw_small},
    {Fill::wide_a, "wide-a", draw_many_bits, draw_few, draw_small},
    {Fill::wide_b, "wide-b", draw_few, draw_many_bits, draw_small},
    {Fill::relu, "relu", draw_relu, draw_narrow_normal, draw_uniform},
    {Fill::uniform, "uniform", draw_uniform, draw_uniform, draw_uniform},
    {Fill::range, "range", draw_wide_range, draw_low_range, draw_uniform},
    {Fill::special, "special", draw_relu, draw_narrow_normal, draw_uniform},
};

const FillRow& row_of(Fill fill) { return kFills[static_cast<size_t>(fill)]; }

/// TF32 operands are stored as fp32 and rounded by the device, so they keep their bits here.
float stored(float value, Dtype dtype) {
  return dtype == Dtype::tf32 ? value : round_operand(value, dtype);
}

std::vector<float> draw(int64_t count, Draw draw_one, int level, Dtype dtype, uint64_t seed,
                        uint64_t operand) {
  constexpr int64_t kChunk = 1 << 16;  // a generator of its own each: the same on any machine
  std::vector<float> values(static_cast<size_t>(count));
  parallel_for((count + kChunk - 1) / kChunk, [&](int64_t chunk) {
    Random random(seed, operand << 48 | static_cast<uint64_t>(chunk));
    const int64_t end = std::min((chunk + 1) * kChunk, count);
    for (int64_t i = chunk * kChunk; i < end; ++i)
      values[static_cast<size_t>(i)] = stored(draw_one(random, level, dtype), dtype);
  });
  return values;
}

/// One row of everything that is not a normal number.
void put_specials(std::vector<float>& rows, int64_t cols, Dtype dtype, uint64_t seed) {
  const int64_t n_rows = static_cast<int64_t>(rows.size()) / cols;
  if (n_rows == 0) return;
  constexpr float kInf = std::numeric_limits<float>::infinity();
  const DtypeInfo& type = info(dtype);
  const auto subnormal = static_cast<float>(std::ldexp(1.0, type.output_min_exponent - 3));
  const float specials[] = {
      std::numeric_limits<float>::quiet_NaN(), kInf, -kInf, -0.0f, subnormal, -subnormal};
  const int64_t row = Random(seed, 99).below(static_cast<uint32_t>(n_rows));
  for (int64_t j = 0; j < cols; ++j)
    rows[static_cast<size_t>(row * cols + j)] = specials[static_cast<size_t>(j) % 6];
}

class Filler {
 public:
  Filler(const Problem& problem, int64_t n_in, int64_t n_out, Fill fill, int level, uint64_t seed)
      : problem_(problem),
        row_(row_of(fill)),
        n_in_(n_in),
        n_out_(n_out),
        level_(level),
        seed_(seed) {}

  /// Draws the operands of the direction whose draw function `wanted` accepts.
  template <typename Wanted>
  void draw_all(HostOperands& operands, const Wanted& wanted) const {
    const int64_t in_count = n_in_ * problem_.c_in, gout_count = n_out_ * problem_.c_out;
    const bool is_special = row_.fill == Fill::special;
    const auto draw_operand = [&](std::vector<float>& values, int64_t count, Draw draw_one,
                                  uint64_t operand) {
      if (wanted(draw_one)) values = draw(count, draw_one, level_, problem_.dtype, seed_, operand);
    };
    switch (problem_.direction) {
      case Direction::fprop:
        draw_operand(operands.in, in_count, row_.a, 1);
        draw_operand(operands.weights, problem_.weight_count(), row_.b, 2);
        // The bias is fp32 for every dtype. It is not thinned: one term matters little to a sum.
        if (problem_.bias) operands.bias = draw(problem_.c_out, row_.bias, 0, Dtype::f32, seed_, 3);
        if (is_special) put_specials(operands.in, problem_.c_in, problem_.dtype, seed_);
        break;
      case Direction::dgrad:
        draw_operand(operands.gout, gout_count, row_.a, 4);
        draw_operand(operands.weights, problem_.weight_count(), row_.b, 2);
        if (is_special) put_specials(operands.gout, problem_.c_out, problem_.dtype, seed_);
        break;
      case Direction::wgrad:
        draw_operand(operands.gout, gout_count, row_.a, 4);
        draw_operand(operands.in, in_count, row_.b, 1);
        if (is_special) put_specials(operands.in, problem_.c_in, problem_.dtype, seed_);
        break;
    }
  }

 private:
  const Problem& problem_;
  const FillRow& row_;
  int64_t n_in_, n_out_;
  int level_;
  uint64_t seed_;
};

}  // namespace

const char* name(Fill fill) { return row_of(fill).name; }

HostOperands fill_operands(const Problem& problem, int64_t n_in, int64_t n_out, Fill fill,
                           int level, uint64_t seed) {
  HostOperands operands;
  Filler(problem, n_in, n_out, fill, level, seed).draw_all(operands, [](Draw) { return true; });
  return operands;
}

void thin_operands(HostOperands& operands, const Problem& problem, int64_t n_in, int64_t n_out,
                   Fill fill, int level, uint64_t seed) {
  Filler(problem, n_in, n_out, fill, level, seed).draw_all(operands, [](Draw draw_one) {
    return draw_one == draw_small || draw_one == draw_few;
  });
}

double thinning(Fill fill, int level) {
  if (fill == Fill::wide_a || fill == Fill::wide_b) return std::ldexp(1.0, -level);
  if (fill != Fill::small) return 1;
  const auto mean = [](int at) {  // of |a|, by draw_small
    const double amplitude = std::max(4 - at, 1);
    const double present = at > 3 ? std::ldexp(1.0, 3 - at) : 1.0;
    return present * amplitude * (amplitude + 1) / (2 * amplitude + 1);
  };
  const double ratio = mean(level) / mean(0);
  return ratio * ratio;
}

HostOperands rounded(HostOperands operands, Dtype dtype) {
  constexpr int64_t kChunk = 1 << 16;
  for (std::vector<float>* values : {&operands.in, &operands.weights, &operands.gout}) {
    const auto count = static_cast<int64_t>(values->size());
    parallel_for((count + kChunk - 1) / kChunk, [&](int64_t chunk) {
      for (int64_t i = chunk * kChunk; i < std::min((chunk + 1) * kChunk, count); ++i) {
        float& value = (*values)[static_cast<size_t>(i)];
        value = round_operand(value, dtype);
      }
    });
  }
  return operands;
}

bool exact_enough(const Expected& expected, Dtype dtype) {
  // Equality is refused: an fp32 sum of ones sticks at 2^24.
  constexpr double kLimit = 0x1p24;
  if (!std::ranges::all_of(expected.abs_sum, [](double sum) { return sum < kLimit; })) return false;
  return std::ranges::all_of(
      expected.value, [&](double value) { return std::abs(value) <= info(dtype).output_max; });
}

}  // namespace spb::verify
