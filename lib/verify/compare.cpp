// SPDX-License-Identifier: Apache-2.0
#include <algorithm>
#include <cmath>
#include <limits>

#include "core/parallel.h"
#include "verify/rounding.h"
#include "verify/verify.h"

namespace spb::verify {
namespace {

constexpr double kInf = std::numeric_limits<double>::infinity();
constexpr size_t kWorst = 10;
constexpr size_t kMaxMismatched = 100'000;
constexpr size_t kMinDistinct = 8;
// Below this an output is too small for statements about zeros and distinct values.
constexpr int64_t kMinForStatistics = 64;
constexpr double kTermsForZeros = 4;  // one in 16 sums of so many products is zero by chance

/// What a rule says about one element.
struct Judgement {
  double expected, error, bound;
  bool ok, certain;
};

/// The comparison of a range of elements, and what mistrust needs.
struct RangePart {
  Comparison comparison;
  int64_t non_empty = 0, long_sums = 0, zeros = 0;  // zeros: of long sums
  std::vector<double> distinct;                     // at most kMinDistinct
  double error_squares = 0, value_squares = 0;
};

bool worse(const Mismatch& a, const Mismatch& b) {
  const auto ratio = [](const Mismatch& m) {
    return m.bound > 0 ? m.error / m.bound : std::isnan(m.error) ? kInf : m.error;
  };
  if (ratio(a) != ratio(b)) return ratio(a) > ratio(b);
  return std::pair(a.row, a.col) < std::pair(b.row, b.col);
}

void keep_worst(std::vector<Mismatch>& worst, const Mismatch& mismatch) {
  if (worst.size() == kWorst && !worse(mismatch, worst.back())) return;
  worst.insert(std::ranges::upper_bound(worst, mismatch, worse), mismatch);
  if (worst.size() > kWorst) worst.pop_back();
}

void note_distinct(std::vector<double>& distinct, double value) {
  if (distinct.size() < kMinDistinct && std::ranges::find(distinct, value) == distinct.end())
    distinct.push_back(value);
}

template <typename Rule>
RangePart compare_range(const Expected& expected, std::span<const float> got,
                        const StorageInfo& type, const Rule& rule, size_t begin, size_t end) {
  RangePart part;
  Comparison& c = part.comparison;
  for (size_t i = begin; i < end; ++i) {
    const Judgement judged = rule(i);
    ++c.compared;
    if (expected.terms[i] > 0) {
      ++part.non_empty;
      // A sum of few products of a fill that is half zeros is often zero by itself.
      if (expected.terms[i] >= kTermsForZeros) {
        ++part.long_sums;
        // An activation's zeros are no sign of a thin fill.
        part.zeros += (expected.before.empty() ? judged.expected : expected.before[i]) == 0;
      }
      note_distinct(part.distinct, judged.expected);
    }
    if (std::isfinite(judged.error) && std::isfinite(judged.expected)) {
      part.error_squares += judged.error * judged.error;
      part.value_squares += judged.expected * judged.expected;
    }
    c.max_abs = std::max(c.max_abs, judged.error);
    c.max_ulp = std::max(c.max_ulp, judged.error / ulp(std::abs(judged.expected), type));
    const double ratio = judged.ok && judged.bound == 0 ? 0 : judged.error / judged.bound;
    c.max_tolerance_ratio = std::max(c.max_tolerance_ratio, ratio);
    if (judged.ok) continue;
    ++c.mismatches;
    if (c.mismatched.size() < kMaxMismatched) c.mismatched.push_back(static_cast<int64_t>(i));
    const auto flat = static_cast<int64_t>(i);
    keep_worst(c.worst,
               {flat / expected.cols, flat % expected.cols, judged.expected,
                stored_value(got[i], type.storage), judged.error, judged.bound, judged.certain});
  }
  return part;
}

void join(RangePart& into, const RangePart& part) {
  Comparison& a = into.comparison;
  const Comparison& b = part.comparison;
  a.compared += b.compared;
  a.mismatches += b.mismatches;
  a.max_tolerance_ratio = std::max(a.max_tolerance_ratio, b.max_tolerance_ratio);
  a.max_abs = std::max(a.max_abs, b.max_abs);
  a.max_ulp = std::max(a.max_ulp, b.max_ulp);
  for (const Mismatch& mismatch : b.worst) keep_worst(a.worst, mismatch);
  const size_t room = std::min(kMaxMismatched - a.mismatched.size(), b.mismatched.size());
  a.mismatched.insert(a.mismatched.end(), b.mismatched.begin(),
                      b.mismatched.begin() + static_cast<std::ptrdiff_t>(room));
  into.non_empty += part.non_empty;
  into.long_sums += part.long_sums;
  into.zeros += part.zeros;
  for (const double value : part.distinct) note_distinct(into.distinct, value);
  into.error_squares += part.error_squares;
  into.value_squares += part.value_squares;
}

std::string mistrust(const RangePart& part, int64_t total_elements) {
  const int64_t compared = part.comparison.compared;
  if (compared < kMinCompared && total_elements > compared)
    return "only " + std::to_string(compared) + " of " + std::to_string(total_elements) +
           " elements compared";
  if (part.non_empty < kMinForStatistics) return {};
  if (part.long_sums >= kMinForStatistics && 2 * part.zeros > part.long_sums)
    return std::to_string(part.zeros) + " of " + std::to_string(part.long_sums) +
           " reference elements are zero";
  if (part.distinct.size() < kMinDistinct)
    return "the reference has only " + std::to_string(part.distinct.size()) + " distinct values";
  return {};
}

template <typename Rule>
Comparison compare(const Expected& expected, std::span<const float> got, Dtype output,
                   int64_t total_elements, const Rule& rule) {
  constexpr size_t kChunk = 1 << 16;
  const size_t elements = expected.value.size(), chunks = (elements + kChunk - 1) / kChunk;
  std::vector<RangePart> parts(chunks);
  parallel_for(static_cast<int64_t>(chunks), [&](int64_t chunk) {
    const size_t begin = static_cast<size_t>(chunk) * kChunk;
    parts[static_cast<size_t>(chunk)] = compare_range(expected, got, info(output).output(), rule,
                                                      begin, std::min(begin + kChunk, elements));
  });
  RangePart whole;
  for (const RangePart& part : parts) join(whole, part);
  Comparison& result = whole.comparison;
  result.rel_l2 = whole.value_squares > 0 ? std::sqrt(whole.error_squares / whole.value_squares)
                                          : std::sqrt(whole.error_squares);
  result.mistrust_reason = mistrust(whole, total_elements);
  result.mistrusted = !result.mistrust_reason.empty();
  return std::move(result);
}

/// The rule for a reference that is not finite: NaN wants NaN, an infinity wants itself.
Judgement judge_non_finite(double expected, double got) {
  const bool ok = std::isnan(expected) ? std::isnan(got) : expected == got;
  return {expected, ok ? 0 : kInf, 0, ok, !ok};
}

void check_sizes(const Expected& expected, std::span<const float> got) {
  if (expected.value.size() != got.size())
    throw std::invalid_argument("compared tensors differ in size");
}

}  // namespace

Comparison compare_exact(const Expected& expected, std::span<const float> got, Dtype output,
                         int64_t total_elements, bool flushes) {
  check_sizes(expected, got);
  const double flushed = flushes ? power_of_two(info(Storage::f32).min_exponent) : 0;
  const Storage type = info(output).out;
  return compare(expected, got, output, total_elements, [&](size_t i) -> Judgement {
    const double want = stored_value(round_stored(expected.value[i], type), type);
    const double have = stored_value(got[i], type);
    if (!std::isfinite(want)) return judge_non_finite(want, have);
    // Not the rounded one: the next number below the smallest normal one may round up to it.
    const bool ok = want == have || (have == 0 && std::abs(expected.value[i]) < flushed);
    const double error = std::isfinite(have) ? std::abs(have - want) : kInf;
    return {want, error, 0, ok, !ok};
  });
}

Comparison compare_bounded(const Expected& expected, std::span<const float> got, Dtype output,
                           const ArithmeticModel& model, int64_t total_elements) {
  check_sizes(expected, got);
  const StorageInfo& type = info(output).output();
  const double product_error = info(output).product_error;
  const double u = accumulator_unit(model);
  const double overflow = type.max + ulp(type.max, type) / 2;
  const double partials = 3 * (unit_of(model.partials) + unit_of(model.atomics));
  const double atomics = 4 * unit_of(model.atomics) * std::sqrt(model.additions);
  // Errors of products are independent: together rarely beyond d * sqrt(V), where each is at most d
  // times its product (3xtf32: a seventh of d in the mean). Q is at least sqrt(R V) / 2.
  const double products = 2 * product_error;
  return compare(expected, got, output, total_elements, [&](size_t i) -> Judgement {
    const double have = static_cast<double>(got[i]);
    if (!std::isfinite(expected.value[i])) return judge_non_finite(expected.value[i], have);
    const double y =
        type.saturates ? std::clamp(expected.value[i], -type.max, type.max) : expected.value[i];
    const double q = expected.error_scale[i], terms = expected.terms[i];
    double acc = u * q * (8 + mma_growth(model, terms));
    const NarrowSums narrow = narrow_sums(model, terms);
    // Running sums of a part of the products, begun at zero: Q of all of them together is that of
    // the whole times the root of their share, or less where products have one sign.
    if (narrow.products > 0)
      acc += narrow.unit * q * std::sqrt(narrow.products / terms) *
             (8 + mma_growth(model, narrow.products));
    double extra = partials * expected.partial_scale[i];
    if (terms > 0) extra += (atomics + products) * q / std::sqrt(terms);
    const double reach = std::abs(y) + acc + extra;
    const double store = ulp(reach, type) / 2;
    const double bound = acc + extra + store;
    if (std::isinf(have) && reach >= overflow && (have > 0) == (y > 0))
      return {y, 0, bound, true, false};
    const double error = std::isfinite(have) ? std::abs(have - y) : kInf;
    const bool ok = error <= bound;
    const double worst_rounding =
        (terms * u + narrow.products * narrow.unit + product_error) * expected.abs_sum[i] + extra +
        store;
    return {y, error, bound, ok, !ok && error > worst_rounding};
  });
}

}  // namespace spb::verify
