// SPDX-License-Identifier: Apache-2.0
#include "core/epilogue.h"

#include <array>
#include <charconv>
#include <cmath>
#include <vector>

#include "core/error.h"
#include "core/nearest.h"

namespace spb {
namespace {

constexpr std::array<const char*, 4> kActivations = {"none", "relu", "leaky_relu", "hswish"};
constexpr std::string_view kResidual = "residual";
constexpr float kUsualSlope = 0.125f;

float parse_slope(std::string_view text, std::string_view where) {
  constexpr float kLeast = 0x1p-8f;
  float slope = 0;
  const auto [end, error] = std::from_chars(text.data(), text.data() + text.size(), slope);
  int exponent = 0;
  const bool is_number = error == std::errc() && end == text.data() + text.size();
  if (!is_number || slope < kLeast || slope >= 1 || std::frexp(slope, &exponent) != 0.5f)
    throw usage_error(where, "slope \"" + std::string(text) + "\" of leaky_relu is refused",
                      "write a power of two from 1/256 to 1/2, as 0.125: outputs are then exact, "
                      "and times are those of any slope");
  return slope;
}

Activation parse_activation(std::string_view text, std::string_view where) {
  for (size_t i = 0; i < kActivations.size(); ++i)
    if (text == kActivations[i]) return static_cast<Activation>(i);
  std::vector<std::string> known(kActivations.begin(), kActivations.end());
  known.emplace_back(kResidual);
  throw usage_error(where, "epilogue " + unknown_name(text, known) +
                               " (known: none, relu, leaky_relu:SLOPE, hswish, residual, and "
                               "residual+ with one of these)");
}

}  // namespace

const char* name(Activation activation) { return kActivations[static_cast<size_t>(activation)]; }

std::string to_text(const Epilogue& epilogue) {
  std::string text = name(epilogue.activation);
  if (epilogue.activation == Activation::leaky_relu) {
    std::array<char, 16> digits{};
    text += ':';
    text.append(digits.data(), std::to_chars(digits.begin(), digits.end(), epilogue.slope).ptr);
  }
  if (!epilogue.residual) return text;
  const std::string residual(kResidual);
  return epilogue.activation == Activation::none ? residual : residual + "+" + text;
}

std::string mark(const Epilogue& epilogue) { return epilogue.is_none() ? "" : to_text(epilogue); }

Epilogue parse_epilogue(std::string_view text, std::string_view where) {
  Epilogue epilogue;
  if (text == kResidual) return {.residual = true};
  if (text.starts_with(kResidual) && text.substr(kResidual.size()).starts_with('+')) {
    epilogue.residual = true;
    text.remove_prefix(kResidual.size() + 1);
  }
  const size_t colon = text.find(':');
  epilogue.activation = parse_activation(text.substr(0, colon), where);
  const bool has_slope = colon != std::string_view::npos;
  if (epilogue.activation == Activation::leaky_relu)
    epilogue.slope = has_slope ? parse_slope(text.substr(colon + 1), where) : kUsualSlope;
  else if (has_slope)
    throw usage_error(where, "only leaky_relu has a slope, not \"" + std::string(text) + "\"",
                      "leave the part behind the colon out");
  return epilogue;
}

}  // namespace spb
