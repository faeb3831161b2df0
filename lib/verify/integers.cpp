// SPDX-License-Identifier: Apache-2.0
#include "verify/integers.h"

#include <cmath>
#include <fmt/format.h>
#include <vector>

#include "core/split_mix.h"
#include "core/tensors.h"

namespace spb::verify {

Draw any_i8(int, Dtype) { return {.kind = Draw::Kind::integer, .first = -128, .count = 256}; }
Draw loud(int, Dtype dtype) {
  if (info(dtype).is_integer()) return {.kind = Draw::Kind::integer, .first = -128, .count = 3};
  return {.kind = Draw::Kind::integer, .first = 8, .count = 4};
}
bool is_loud_exact(const Problem& problem) {
  constexpr double kMostProduct = 11 * 11;
  return info(problem.dtype).is_integer() ||
         static_cast<double>(most_products(problem)) * kMostProduct < 0x1p24;
}
Draw broad(int, Dtype) { return {.kind = Draw::Kind::uniform, .factor = 100, .shift = -0.5}; }

namespace {
float with_sign(float sign, float value) {
  // 128 is no i8.
  return sign > 0 && value == -128 ? 127 : sign * std::abs(value);
}
}  // namespace

void align_signs(Floats& values, int64_t columns, uint64_t seed) {
  const auto rows = static_cast<int64_t>(values.size()) / columns;
  for (int64_t row = 0; row < rows; ++row) {
    const float sign = SplitMix(seed, static_cast<uint64_t>(row)).sign();
    for (int64_t at = row * columns; at < (row + 1) * columns; ++at) {
      float& value = values[static_cast<size_t>(at)];
      value = with_sign(sign, value);
    }
  }
}

void align_signs_of_columns(Floats& values, int64_t columns, uint64_t seed) {
  std::vector<float> signs;
  for (int64_t column = 0; column < columns; ++column)
    signs.push_back(SplitMix(seed, static_cast<uint64_t>(column)).sign());
  for (size_t at = 0; at < values.size(); ++at)
    values[at] = with_sign(signs[at % signs.size()], values[at]);
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
