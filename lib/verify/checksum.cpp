// SPDX-License-Identifier: Apache-2.0
// Freivalds' check (verification.md, section 8): a row of the output times a random vector, against
// the same product with the vector multiplied into the operands first.
#include <algorithm>
#include <bit>
#include <cmath>
#include <utility>

#include "core/parallel.h"
#include "core/split_mix.h"
#include "verify/dot.h"
#include "verify/rounding.h"
#include "verify/row_sums.h"
#include "verify/verify.h"

namespace spb::verify {
namespace {

constexpr size_t kVectors = 4, kLanes = kVectors + 1;  // the last lane sums squared products
/// Of a column in all vectors: no two columns have the same. Signs alone would take two columns in
/// sixteen for each other.
constexpr double kLeastWeight = 0.5, kMostWeight = 1.5;
constexpr int64_t kRowsOfPart = 1 << 12;  // rows of one piece of work

/// What a range of rows adds to the verdict.
struct RowsPart {
  int64_t bad_rows = 0, first_bad_row = -1;
  double squares = 0, samples = 0;

  void bad(int64_t row) {
    if (bad_rows++ == 0) first_bad_row = row;
  }
};

/// Judges all rows, `judge(row, part)` one; parts are joined in order.
template <typename Judge>
Checksum judge_rows(int64_t rows, const Judge& judge) {
  std::vector<RowsPart> parts(static_cast<size_t>((rows + kRowsOfPart - 1) / kRowsOfPart));
  parallel_for(static_cast<int64_t>(parts.size()), [&](int64_t chunk) {
    RowsPart& part = parts[static_cast<size_t>(chunk)];
    for (int64_t row = chunk * kRowsOfPart; row < std::min((chunk + 1) * kRowsOfPart, rows); ++row)
      judge(row, part);
  });
  Checksum checksum;
  double squares = 0, samples = 0;
  for (const RowsPart& part : parts) {
    if (part.bad_rows > 0 && checksum.bad_rows == 0) checksum.first_bad_row = part.first_bad_row;
    checksum.bad_rows += part.bad_rows;
    squares += part.squares;
    samples += part.samples;
  }
  checksum.ok = checksum.bad_rows == 0;
  if (samples > 0) {
    checksum.rms = std::sqrt(squares / samples);
    if (!(checksum.rms <= 1.1 + 4 / std::sqrt(samples))) checksum.ok = false;
  }
  return checksum;
}

/// Evenly spaced, in random order.
std::vector<double> column_weights(size_t cols, SplitMix& random) {
  std::vector<double> weights(cols);
  for (size_t j = 0; j < cols; ++j) {
    weights[j] = kLeastWeight + (kMostWeight - kLeastWeight) * (static_cast<double>(j) + 0.5) /
                                    static_cast<double>(cols);
    std::swap(weights[j], weights[random.below(static_cast<uint32_t>(j + 1))]);
  }
  return weights;
}

}  // namespace

ExactSums exact_sums(const Problem& problem, const MapSet& map, int64_t n_in,
                     const HostOperands& operands, uint64_t seed) {
  ExactSums sums;
  SplitMix random(seed, 9);
  sums.vector.resize(static_cast<size_t>(output_cols(problem)));
  for (uint64_t& value : sums.vector) value = random.bits();
  sums.want = row_sums<uint64_t>(problem, map, n_in, operands, {sums.vector}, 1);
  return sums;
}

BoundedSums bounded_sums(const Problem& problem, const MapSet& map, int64_t n_in,
                         const HostOperands& operands, uint64_t seed) {
  BoundedSums sums;
  const auto cols = static_cast<size_t>(output_cols(problem));
  SplitMix random(seed, 10);
  sums.vectors.assign(kLanes, column_weights(cols, random));
  for (size_t lane = 0; lane < kVectors; ++lane)
    for (double& value : sums.vectors[lane]) value *= static_cast<double>(random.sign());
  for (double& value : sums.vectors[kVectors]) value *= value;
  sums.want = row_sums<double>(problem, map, n_in, operands, sums.vectors, kVectors);
  sums.terms = terms_per_row(problem, map, n_in);
  const bool has_bias = problem.bias && !operands.bias.empty();
  if (problem.direction == Direction::fprop)
    for (double& terms : sums.terms) terms += int{has_bias} + int{problem.epilogue.residual};
  return sums;
}

Checksum check_sums(const ExactSums& sums, std::span<const float> got, Dtype dtype) {
  const auto cols = static_cast<int64_t>(sums.vector.size());
  const auto dot_of_sums = [&](const float* out) {
    uint64_t total = 0;
    for (int64_t j = 0; j < cols; ++j)
      total += static_cast<uint64_t>(std::bit_cast<int32_t>(out[j])) *
               sums.vector[static_cast<size_t>(j)];
    return total;
  };
  return judge_rows(static_cast<int64_t>(sums.want.size()), [&](int64_t row, RowsPart& part) {
    const float* out = got.data() + row * cols;
    const uint64_t want = sums.want[static_cast<size_t>(row)];
    if (info(dtype).stores_sums()) {
      if (dot_of_sums(out) != want) part.bad(row);
      return;
    }
    const bool integers = std::all_of(out, out + cols, [](float v) {
      return std::abs(v) <= 0x1p24f && v == std::trunc(v);  // false for NaN
    });
    if (!integers || dot<uint64_t>(out, sums.vector.data(), cols) != want) part.bad(row);
  });
}

Checksum check_sums(const BoundedSums& sums, std::span<const float> got, Dtype dtype,
                    const ArithmeticModel& model) {
  const auto cols = static_cast<int64_t>(sums.vectors[0].size());
  const StorageInfo& type = info(dtype).output();
  const double product_error = info(dtype).product_error;
  const double u = accumulator_unit(model);
  const double narrow = std::max(unit_of(model.partials), unit_of(model.atomics));
  return judge_rows(static_cast<int64_t>(sums.terms.size()), [&](int64_t row, RowsPart& part) {
    const float* out = got.data() + row * cols;
    const double* want = sums.want.data() + static_cast<size_t>(row) * kLanes;
    const double v = want[kVectors], terms = sums.terms[static_cast<size_t>(row)];
    double out_squares = 0, ulp_squares = 0;
    for (int64_t j = 0; j < cols; ++j) {
      const double value = static_cast<double>(out[j]);
      const double weight = sums.vectors[kVectors][static_cast<size_t>(j)];
      out_squares += weight * value * value;
      const double step = ulp(std::abs(value), type);
      ulp_squares += weight * step * step;
    }
    const double growth = 1 + mma_growth(model, terms);
    const NarrowSums own = narrow_sums(model, terms);
    const double own_error = own.unit * (1 + mma_growth(model, own.products));
    const double variance =
        ulp_squares / 12 + growth * growth * u * u * terms * (v + out_squares) / 6 +
        own_error * own_error * own.products * (v + out_squares) / 6 +
        narrow * narrow * std::max(1.0, model.additions) * (v + out_squares) / 3 +
        product_error * product_error * v / 3;
    bool bad = false;
    for (size_t lane = 0; lane < kVectors; ++lane) {
      const double deviation = dot<double>(out, sums.vectors[lane].data(), cols) - want[lane];
      const double in_sigma_squared = deviation * deviation / variance;
      if (!(in_sigma_squared <= 49)) bad = true;  // also NaN
      if (terms == 0) {
        bad = bad || deviation != 0;
        continue;
      }
      part.samples += 1;
      part.squares += in_sigma_squared;
    }
    if (bad) part.bad(row);
  });
}

Checksum checksum_exact(const Problem& problem, const MapSet& map, int64_t n_in,
                        const HostOperands& operands, std::span<const float> got, uint64_t seed) {
  return check_sums(exact_sums(problem, map, n_in, operands, seed), got, problem.dtype);
}

Checksum checksum_fp(const Problem& problem, const MapSet& map, int64_t n_in,
                     const HostOperands& operands, std::span<const float> got,
                     const ArithmeticModel& model, uint64_t seed) {
  return check_sums(bounded_sums(problem, map, n_in, operands, seed), got, problem.dtype, model);
}

}  // namespace spb::verify
