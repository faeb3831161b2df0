// Freivalds' check (verification.md, section 8): a row of the output times a random vector, against
// the same product with the vector multiplied into the operands first.
#include <algorithm>
#include <cmath>
#include <thread>

#include "core/parallel.h"
#include "verify/random.h"
#include "verify/rounding.h"
#include "verify/verify.h"

namespace spb::verify {
namespace {

/// How a direction reads as rows times one vector: every pair adds source[from] . folded[offset] to
/// row `to` (fprop, dgrad), or gout[u, j] * (in[p] . r) to row (j, offset) (wgrad).
struct Shape {
  Direction direction;
  int64_t rows, cols, depth, kernel_volume;
  int64_t width;  ///< rows that one pair adds to: c_out for wgrad, else 1
};

Shape shape_of(const Problem& p, const MapSet& map, int64_t n_in) {
  const auto n_out = static_cast<int64_t>(map.out_coords.size());
  const int64_t kv = p.kernel_volume();
  switch (p.direction) {
    case Direction::fprop:
      return {p.direction, n_out, p.c_out, p.c_in, kv, 1};
    case Direction::dgrad:
      return {p.direction, n_in, p.c_in, p.c_out, kv, 1};
    case Direction::wgrad:
      break;
  }
  return {p.direction, p.c_out * kv, p.c_in, p.c_in, kv, p.c_out};
}

template <typename T>
T dot(const float* a, const T* b, int64_t n) {
  T sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += static_cast<T>(static_cast<int64_t>(a[i])) * b[i];
  return sum;
}
template <>
double dot(const float* a, const double* b, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i) sum += static_cast<double>(a[i]) * b[i];
  return sum;
}
double dot_squares(const float* a, const double* b, int64_t n) {
  double sum = 0;
  for (int64_t i = 0; i < n; ++i)
    sum += static_cast<double>(a[i]) * static_cast<double>(a[i]) * b[i];
  return sum;
}

template <typename T>
T number(float value) {
  if constexpr (std::is_same_v<T, double>)
    return static_cast<double>(value);
  else
    return static_cast<T>(static_cast<int64_t>(value));
}

/// W_o^T r (fprop) or W_o r (dgrad) for every offset, [kernel_volume, depth]; `square` for squares.
template <typename T>
std::vector<T> fold(const Problem& p, std::span<const float> weights, std::span<const T> r,
                    bool square) {
  const int64_t kv = p.kernel_volume();
  const bool forward = p.direction == Direction::fprop;
  const int64_t depth = forward ? p.c_in : p.c_out;
  std::vector<T> folded(static_cast<size_t>(kv * depth));
  for (int64_t j = 0; j < p.c_out; ++j)
    for (int64_t o = 0; o < kv; ++o)
      for (int64_t i = 0; i < p.c_in; ++i) {
        const T w = number<T>(weights[static_cast<size_t>((j * kv + o) * p.c_in + i)]);
        folded[static_cast<size_t>(o * depth + (forward ? i : j))] +=
            (square ? w * w : w) * r[static_cast<size_t>(forward ? j : i)];
      }
  return folded;
}

/// Sums of `lanes` products per row of the expected side; each thread has its own, added at the
/// end. The vectors of a lane stand at vectors[lane]; squared lanes square the other operand.
template <typename T>
std::vector<T> expected_sums(const Problem& p, const MapSet& map, const Shape& s,
                             const HostOperands& operands,
                             const std::vector<std::vector<T>>& vectors, size_t squared_lane) {
  const size_t lanes = vectors.size();
  const auto& source = p.direction == Direction::dgrad ? operands.gout : operands.in;
  const int64_t source_cols = p.direction == Direction::dgrad ? p.c_out : p.c_in;
  const int64_t threads = std::clamp<int64_t>(std::thread::hardware_concurrency(), 1, 8);
  std::vector<std::vector<T>> sums(static_cast<size_t>(threads));
  parallel_for(threads, [&](int64_t thread) {
    std::vector<T>& own = sums[static_cast<size_t>(thread)];
    own.assign(static_cast<size_t>(s.rows) * lanes, T{});
    const size_t n = map.triples.size(), share = static_cast<size_t>(thread);
    const size_t begin = n * share / static_cast<size_t>(threads);
    const size_t end = n * (share + 1) / static_cast<size_t>(threads);
    for (size_t k = begin; k < end; ++k) {
      const Triple& t = map.triples[k];
      const int32_t from = p.direction == Direction::dgrad ? t.out : t.in;
      const float* row = source.data() + from * source_cols;
      for (size_t lane = 0; lane < lanes; ++lane) {
        const bool folded = p.direction != Direction::wgrad;
        const T* vector = vectors[lane].data() + (folded ? t.offset * s.depth : 0);
        T product;
        if constexpr (std::is_same_v<T, double>)
          product = lane == squared_lane ? dot_squares(row, vector, s.depth)
                                         : dot<T>(row, vector, s.depth);
        else
          product = dot<T>(row, vector, s.depth);
        if (folded) {
          const int32_t to = p.direction == Direction::fprop ? t.out : t.in;
          own[static_cast<size_t>(to) * lanes + lane] += product;
          continue;
        }
        const float* gout = operands.gout.data() + int64_t{t.out} * p.c_out;
        for (int64_t j = 0; j < p.c_out; ++j) {
          const T g = number<T>(gout[j]);
          own[static_cast<size_t>(j * s.kernel_volume + t.offset) * lanes + lane] +=
              (lane == squared_lane ? g * g : g) * product;
        }
      }
    }
  });
  for (size_t thread = 1; thread < sums.size(); ++thread)
    for (size_t i = 0; i < sums[0].size(); ++i) sums[0][i] += sums[thread][i];
  return std::move(sums[0]);
}

/// The vector that multiplies a pair's operand: folded into the weights, or itself for wgrad.
template <typename T>
std::vector<T> pair_vector(const Problem& p, const HostOperands& operands, const std::vector<T>& r,
                           bool square) {
  if (p.direction == Direction::wgrad) return r;
  return fold<T>(p, operands.weights, r, square);
}

/// Number of products of each row's elements.
std::vector<double> terms_per_row(const Problem& p, const MapSet& map, const Shape& s) {
  std::vector<double> terms(static_cast<size_t>(s.rows));
  for (const Triple& t : map.triples) {
    if (p.direction == Direction::wgrad)
      for (int64_t j = 0; j < p.c_out; ++j)
        terms[static_cast<size_t>(j * s.kernel_volume + t.offset)] += 1;
    else
      terms[static_cast<size_t>(p.direction == Direction::fprop ? t.out : t.in)] +=
          static_cast<double>(s.depth);
  }
  return terms;
}

void note_bad_row(Checksum& checksum, int64_t row) {
  checksum.ok = false;
  if (checksum.bad_rows++ == 0) checksum.first_bad_row = row;
}

bool has_bias(const Problem& p, const HostOperands& operands) {
  return p.direction == Direction::fprop && p.bias && !operands.bias.empty();
}

}  // namespace

Checksum checksum_exact(const Problem& problem, const MapSet& map, int64_t n_in,
                        const HostOperands& operands, std::span<const float> got, uint64_t seed) {
  const Shape s = shape_of(problem, map, n_in);
  Random random(seed, 9);
  std::vector<uint64_t> r(static_cast<size_t>(s.cols));
  for (uint64_t& value : r) value = random.bits();
  const auto want = expected_sums<uint64_t>(problem, map, s, operands,
                                            {pair_vector(problem, operands, r, false)}, 1);
  uint64_t bias = 0;
  if (has_bias(problem, operands)) bias = dot<uint64_t>(operands.bias.data(), r.data(), s.cols);

  Checksum checksum;
  for (int64_t row = 0; row < s.rows; ++row) {
    const float* out = got.data() + row * s.cols;
    const bool integers = std::all_of(out, out + s.cols, [](float v) {
      return std::abs(v) <= 0x1p24f && v == std::trunc(v);  // false for NaN
    });
    if (!integers || dot<uint64_t>(out, r.data(), s.cols) != want[static_cast<size_t>(row)] + bias)
      note_bad_row(checksum, row);
  }
  return checksum;
}

Checksum checksum_fp(const Problem& problem, const MapSet& map, int64_t n_in,
                     const HostOperands& operands, std::span<const float> got,
                     const ArithmeticModel& model, uint64_t seed) {
  constexpr size_t kVectors = 4, kLanes = kVectors + 1;  // the last lane sums squared products
  const Shape s = shape_of(problem, map, n_in);
  const DtypeInfo& type = info(problem.dtype);
  Random random(seed, 10);
  std::vector<std::vector<double>> r(kLanes, std::vector<double>(static_cast<size_t>(s.cols), 1.0));
  for (size_t lane = 0; lane < kVectors; ++lane)
    for (double& value : r[lane]) value = static_cast<double>(random.sign());
  std::vector<std::vector<double>> vectors;
  for (size_t lane = 0; lane < kLanes; ++lane)
    vectors.push_back(pair_vector(problem, operands, r[lane], lane == kVectors));
  const auto want = expected_sums<double>(problem, map, s, operands, vectors, kVectors);
  const bool bias = has_bias(problem, operands);
  const auto terms = terms_per_row(problem, map, s);
  const double u = accumulator_unit(model);
  const double narrow = std::max(unit_of(model.partials), unit_of(model.atomics));

  Checksum checksum;
  double squares = 0, samples = 0;
  for (int64_t row = 0; row < s.rows; ++row) {
    const float* out = got.data() + row * s.cols;
    const double* sums = want.data() + static_cast<size_t>(row) * kLanes;
    double v = sums[kVectors], out_squares = 0, ulp_squares = 0;
    if (bias) v += dot_squares(operands.bias.data(), r[kVectors].data(), s.cols);
    for (int64_t j = 0; j < s.cols; ++j) {
      const double value = static_cast<double>(out[j]);
      out_squares += value * value;
      const double step = ulp(std::abs(value), type);
      ulp_squares += step * step;
    }
    const double row_terms = terms[static_cast<size_t>(row)] + (bias ? 1 : 0);
    const double growth = 1 + mma_growth(model, row_terms);
    double variance =
        ulp_squares / 12 + growth * growth * u * u * row_terms * (v + out_squares) / 6;
    variance += narrow * narrow * std::max(1.0, model.additions) * (v + out_squares) / 3;
    bool bad = false;
    for (size_t lane = 0; lane < kVectors; ++lane) {
      double z = sums[lane];
      if (bias) z += dot(operands.bias.data(), r[lane].data(), s.cols);
      const double deviation = dot(out, r[lane].data(), s.cols) - z;
      const double in_sigma_squared = deviation * deviation / variance;
      if (!(in_sigma_squared <= 49)) bad = true;  // also NaN
      if (row_terms == 0) {
        bad = bad || deviation != 0;
        continue;
      }
      samples += 1;
      squares += in_sigma_squared;
    }
    if (bad) note_bad_row(checksum, row);
  }
  if (samples > 0) {
    checksum.rms = std::sqrt(squares / samples);
    if (!(checksum.rms <= 1.1 + 4 / std::sqrt(samples))) checksum.ok = false;
  }
  return checksum;
}

}  // namespace spb::verify
