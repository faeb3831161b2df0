// SPDX-License-Identifier: Apache-2.0
#include "reference/epilogue.h"

#include <algorithm>
#include <cmath>

#include "core/parallel.h"

namespace spb::reference {
namespace {

/// In the order and precision of a device. No product is added to anything, so that nothing can be
/// contracted.
double hswish_in_fp32(float sum) {
  constexpr float kSixth = 0x1.555556p-3f;
  const float shifted = sum + 3.f;
  const float gate = shifted < 0.f ? 0.f : shifted > 6.f ? 6.f : shifted;
  const float product = sum * gate;
  return static_cast<double>(product * kSixth);
}

double hswish(double sum) {
  const double shifted = sum + 3;
  const double gate = shifted < 0 ? 0 : shifted > 6 ? 6 : shifted;  // NaN stays
  return sum * gate / 6;
}

double value_of(const Epilogue& epilogue, double sum, bool exact) {
  // A device has fp32 sums, of which products of the whole range leave an infinity.
  if (exact) sum = static_cast<double>(static_cast<float>(sum));
  switch (epilogue.activation) {
    case Activation::none:
      break;
    case Activation::relu:
      return sum < 0 ? 0 : sum;  // NaN stays
    case Activation::leaky_relu:
      return sum < 0 ? static_cast<double>(epilogue.slope) * sum : sum;
    case Activation::hswish:
      return exact ? hswish_in_fp32(static_cast<float>(sum)) : hswish(sum);
  }
  return sum;
}

/// Of a value, what four roundings of at most 2^-24 of it are in units of Q, of which eight are
/// allowed (verification.md, section 4). hswish has so many.
constexpr double kOwnRoundings = 0.5;

}  // namespace

void activate(const Epilogue& epilogue, Expected& expected) {
  if (epilogue.activation == Activation::none) return;
  const bool exact = expected.error_scale.empty();
  const bool curved = epilogue.activation == Activation::hswish;
  constexpr double kSteepest = 1.5;  // d/ds of s (s + 3) / 6 at s = 3
  expected.before = expected.value;
  const auto count = static_cast<int64_t>(expected.value.size());
  constexpr int64_t kChunk = 1 << 16;
  parallel_for((count + kChunk - 1) / kChunk, [&](int64_t chunk) {
    for (int64_t at = chunk * kChunk; at < std::min(count, (chunk + 1) * kChunk); ++at) {
      const auto i = static_cast<size_t>(at);
      expected.value[i] = value_of(epilogue, expected.before[i], exact);
      if (exact) continue;
      if (!std::isfinite(expected.before[i]))  // relu makes a zero of an infinity, and no error
        expected.error_scale[i] = expected.partial_scale[i] = expected.abs_sum[i] = 0;
      if (!curved) continue;
      expected.error_scale[i] =
          kSteepest * expected.error_scale[i] + kOwnRoundings * std::abs(expected.value[i]);
      expected.partial_scale[i] *= kSteepest;
      expected.abs_sum[i] *= kSteepest;
    }
  });
}

void scale_sums(const Problem& problem, const Inputs& inputs, std::span<const int64_t> rows,
                bool exact, Expected& expected) {
  if (exact) {
    expected.error_scale.clear();
    expected.partial_scale.clear();
  }
  const bool has_bias = problem.bias && !inputs.bias.empty(),
             has_residual = problem.epilogue.residual;
  parallel_for(expected.rows, [&](int64_t row) {
    const int64_t whole_row = rows.empty() ? row : rows[static_cast<size_t>(row)];
    for (int64_t col = 0; col < expected.cols; ++col) {
      const auto channel = static_cast<size_t>(col);
      const auto at = static_cast<size_t>(row * expected.cols + col);
      const float bias = has_bias ? inputs.bias[channel] : 0.f, scale = inputs.scale[channel];
      const float residual =
          has_residual ? inputs.residual[static_cast<size_t>(whole_row * expected.cols + col)] : 0;
      const float residual_scale = has_residual ? inputs.residual_scale[0] : 0;
      expected.terms[at] += int{has_bias} + int{has_residual};
      if (exact) {
        const float added = has_residual ? std::fma(residual_scale, residual, bias) : bias;
        const auto sum = static_cast<float>(expected.value[at]);
        expected.value[at] = static_cast<double>(std::fma(scale, sum, added));
        expected.abs_sum[at] += std::abs(static_cast<double>(added));
        continue;
      }
      const double factor = scale;
      const double added = static_cast<double>(residual_scale) * residual + bias;
      const double magnitude = std::abs(factor);
      expected.value[at] = factor * expected.value[at] + added;
      // Two roundings of at most 2^-24 of a value each: as those of hswish above.
      expected.error_scale[at] = magnitude * expected.error_scale[at] +
                                 kOwnRoundings * (std::abs(added) + std::abs(expected.value[at]));
      expected.partial_scale[at] *= magnitude;
      expected.abs_sum[at] = magnitude * expected.abs_sum[at] + std::abs(added);
    }
  });
  activate(problem.epilogue, expected);
}

}  // namespace spb::reference
