// SPDX-License-Identifier: Apache-2.0
#include "verify/integers.h"

#include <bit>
#include <cmath>
#include <fmt/format.h>

#include "verify/rounding.h"

namespace spb::verify {
namespace {

/// Powers of two below the scale of channels 0, 1, 2 and 3, and so on again: sums of 4 to 131,071
/// products have 13 to 21 bits under full, 14 to 31 under loud and 4 to 11 under tied.
struct ScaleExponents {
  int first, step;
};
constexpr ScaleExponents kFull{5, 3}, kLoud{8, 6}, kTied{1, 1};

/// No power of two: channels a tile apart have scales of their own, or a kernel that takes those of
/// another column tile would be right.
constexpr size_t kSignificands = 61;

}  // namespace

float draw_any_i8(Random& random, int, Dtype) {
  return static_cast<float>(static_cast<int>(random.below(256)) - 128);
}
float draw_loud_i8(Random& random, int, Dtype) {
  constexpr float kLoudest[] = {126, 127, -128};
  return kLoudest[random.below(3)];
}
float draw_broad(Random& random, int, Dtype) {
  return static_cast<float>(100 * random.uniform() - 50);
}

void align_signs(Floats& values, int64_t columns, uint64_t seed) {
  const auto rows = static_cast<int64_t>(values.size()) / columns;
  for (int64_t row = 0; row < rows; ++row) {
    const float sign = Random(seed, static_cast<uint64_t>(row)).sign();
    for (int64_t at = row * columns; at < (row + 1) * columns; ++at) {
      float& value = values[static_cast<size_t>(at)];
      // 128 is no i8.
      value = sign > 0 && value == -128 ? 127 : sign * std::abs(value);
    }
  }
}

void put_scales(HostOperands& operands, const Problem& problem, Fill fill) {
  const bool plain = fill != Fill::full && fill != Fill::loud && fill != Fill::tied;
  const ScaleExponents exponents = fill == Fill::tied ? kTied : fill == Fill::loud ? kLoud : kFull;
  operands.scale.resize(static_cast<size_t>(problem.c_out));
  for (size_t channel = 0; channel < operands.scale.size(); ++channel) {
    const int exponent = exponents.first + exponents.step * static_cast<int>(channel % 4);
    // A tie takes a power of two.
    const double significand =
        fill == Fill::tied ? 1 : 1 + static_cast<double>(channel * 37 % kSignificands) / 64;
    operands.scale[channel] =
        plain ? 1.f : static_cast<float>(significand * power_of_two(-exponent));
  }
  if (problem.epilogue.residual)
    operands.residual_scale.assign(1, plain ? 1.f : fill == Fill::tied ? 0.5f : 0x1.7ae148p-2f);
}

RoundingEvidence& RoundingEvidence::operator+=(const RoundingEvidence& other) {
  outputs += other.outputs;
  ties += other.ties;
  low += other.low;
  high += other.high;
  return *this;
}

std::string RoundingEvidence::missing(const Epilogue& epilogue) const {
  constexpr int64_t kLeast = 64;  // outputs of which a share says anything
  if (outputs < kLeast) return {};
  const auto few = [&](int64_t count) { return 100 * count < outputs; };
  const char* what = few(ties)   ? "lie half way between integers"
                     : few(high) ? "lie above 127"
                     // An activation leaves next to nothing below zero.
                     : epilogue.activation == Activation::none && few(low) ? "lie below -128"
                                                                           : nullptr;
  return what ? fmt::format("under 1 % of outputs {}", what) : std::string();
}

RoundingEvidence rounding_evidence(const Expected& expected, Storage output) {
  RoundingEvidence evidence;
  if (output != Storage::i8) return evidence;
  for (const double value : expected.value) {
    ++evidence.outputs;
    evidence.low += value <= -128.5;
    evidence.high += value >= 127.5;
    evidence.ties += value > -128.5 && value < 127.5 && std::abs(value - std::trunc(value)) == 0.5;
  }
  return evidence;
}

}  // namespace spb::verify
