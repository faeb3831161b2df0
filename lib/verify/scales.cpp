// SPDX-License-Identifier: Apache-2.0
#include "verify/scales.h"

#include <bit>
#include <cstdint>

#include "core/tensors.h"
#include "verify/rounding.h"

namespace spb::verify {
namespace {

/// Powers of two below the scale of channels 0, 1, 2 and 3, and so on again.
struct ScaleExponents {
  int first, step;
};
/// Of integers: sums of 4 to 131,071 products have 13 to 21 bits under full, 14 to 31 under loud
/// and 4 to 11 under tied.
constexpr ScaleExponents kFull{5, 3}, kLoud{8, 6}, kTied{1, 1};

/// No power of two: channels a tile apart have scales of their own, or a kernel that takes those of
/// another column tile would be right.
constexpr size_t kSignificands = 61;

/// Of floats: sums of R products are about 7 to 10 times the root of R under the exact fills, and
/// 0.03 times under those of fp mode.
ScaleExponents of_floats(const Problem& problem, Fill fill) {
  const auto products = static_cast<uint64_t>(most_products(problem));
  const int root =
      (static_cast<int>(std::bit_width(products)) + 1) / 2;  // of it the binary logarithm
  switch (fill) {
    case Fill::single_a:
    case Fill::single_b:
      return {0, 1};
    case Fill::small:
    case Fill::wide_a:
    case Fill::wide_b:
      return {root, 1};
    case Fill::loud:  // sums are about 90 times R
      return {2 * root - 1, 1};
    default:
      return {root - 6, 1};
  }
}

ScaleExponents exponents_of(const Problem& problem, Fill fill) {
  if (!info(problem.dtype).is_integer()) return of_floats(problem, fill);
  return fill == Fill::tied ? kTied : fill == Fill::loud ? kLoud : kFull;
}

}  // namespace

void put_scales(HostOperands& operands, const Problem& problem, Fill fill) {
  const bool plain = info(problem.dtype).is_integer() && fill != Fill::full && fill != Fill::loud &&
                     fill != Fill::tied;
  const ScaleExponents exponents = exponents_of(problem, fill);
  const bool is_dgrad = problem.direction == Direction::dgrad;
  operands.scale.resize(static_cast<size_t>(is_dgrad ? problem.c_in : problem.c_out));
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

}  // namespace spb::verify
