// SPDX-License-Identifier: Apache-2.0
#include "run/case_requests.h"

#include <algorithm>
#include <cmath>
#include <iterator>

#include "verify/integers.h"

namespace spb::run {
namespace {

using verify::Fill;

constexpr uint64_t kOtherData = 0x9E3779B97F4A7C15u;  // seeds of data that must differ

constexpr ExactFill kExactFills[] = {{Fill::small, "exact small"},
                                     {Fill::wide_a, "exact wide_a"},
                                     {Fill::wide_b, "exact wide_b"},
                                     {Fill::single_a, "exact single_a"},
                                     {Fill::single_b, "exact single_b"}};

/// Integers have no rounding to bound: all their fills are exact, and the first alone is thinned,
/// so that its sums are its outputs.
constexpr ExactFill kIntegerFills[] = {{Fill::small, "exact small"},
                                       {Fill::tied, "exact tied"},
                                       {Fill::full, "exact full"},
                                       {Fill::loud, "exact loud"}};

/// Sums that a class with 16-bit partials, atomics or accumulators still holds exactly.
double exact_limit(const Problem& problem, const verify::ArithmeticModel& model) {
  // Half of what i8 holds: the largest sum of a large problem is known of its sample alone.
  if (problem.dtype == Dtype::i8) return std::ldexp(0.5, info(Storage::i8).bits);
  // The same of a tensor core's own sums; those that are promoted stay far below.
  if (model.sum_bits < 24 && model.promoted_products == 0) return std::ldexp(0.5, model.sum_bits);
  double limit = 0;
  for (const Dtype narrow : {model.partials, model.atomics, model.accumulator})
    if (narrow == Dtype::bf16)
      return 256;
    else if (narrow == Dtype::f16)
      limit = 2048;
  return limit;
}

/// Where the device judges every element, the host's sample is what the two references are held to
/// each other in: so many multiplications, some 0.1 s of a processor, and rows and channels.
constexpr double kMacsBesideDevice = 1e8;
constexpr verify::SampleSize kSampleBesideDevice{.least_rows = 64, .channels = 8};

/// Whether the host compares a case on a sample.
bool is_beyond(const Problem& problem, const MapSet& map, double macs) {
  // To add to a sum costs the reference what some multiplications do, which groups make few of.
  constexpr int kLeastDepth = 64;
  const int depth =
      problem.groups == 1 ? problem.c_in : std::max(problem.group_c_in(), kLeastDepth);
  return static_cast<double>(map.triples.size()) * problem.c_out * depth > macs;
}

}  // namespace

Fill timed_fill(const Problem& problem) {
  return info(problem.dtype).is_integer() ? Fill::full : Fill::relu;
}

CaseRequests::CaseRequests(const Problem& problem, const MapSet& map, const RunOptions& options,
                           const verify::ArithmeticModel& model, bool beside_device)
    : problem_(problem),
      options_(options),
      is_beside_device_(beside_device),
      flushes_(model.flushes_subnormals),
      sample_macs_(is_beside_device_ ? std::min(options.verify_macs, kMacsBesideDevice)
                                     : options.verify_macs),
      is_large_(is_beyond(problem, map, sample_macs_)),
      exact_limit_(exact_limit(problem, model)) {}

std::vector<ExactFill> CaseRequests::exact_fills() const {
  std::vector<ExactFill> fills;
  if (info(problem_.dtype).is_integer()) {
    // Ties are what scales make.
    std::ranges::copy_if(kIntegerFills, std::back_inserter(fills), [&](const ExactFill& fill) {
      return has_scales(problem_) || fill.fill != Fill::tied;
    });
    return fills;
  }
  std::ranges::copy_if(kExactFills, std::back_inserter(fills), [&](const ExactFill& fill) {
    return exact_limit_ == 0 || fill.fill == Fill::small;
  });
  if (has_scales(problem_) && exact_limit_ == 0 && verify::is_loud_exact(problem_))
    fills.push_back({Fill::loud, "exact loud"});
  return fills;
}

ExpectationRequest CaseRequests::whole_or_sampled(Fill fill) const {
  return {.problem = problem_,
          .fill = fill,
          .sampled = is_large_,
          .sample_macs = sample_macs_,
          .sample_size = is_beside_device_ ? kSampleBesideDevice : verify::SampleSize{},
          .drawn_apart = is_beside_device_ && is_large_,
          .flushes = flushes_,
          .seed = options_.seed};
}

ExpectationRequest CaseRequests::exact(Fill fill) const {
  ExpectationRequest request = whole_or_sampled(fill);
  request.exact = true;
  request.max_abs_sum = exact_limit_;
  return request;
}

ExpectationRequest CaseRequests::fp(Fill fill) const { return whole_or_sampled(fill); }

ExpectationRequest CaseRequests::first() const {
  return options_.verify_exact ? exact(kExactFills[0].fill) : fp(Fill::relu);
}

ExpectationRequest CaseRequests::after_timing() const {
  const bool has_fp = options_.verify_fp && !info(problem_.dtype).is_integer();
  return has_fp ? fp(Fill::relu) : first();
}

ExpectationRequest CaseRequests::other_data() const {
  return {.problem = problem_,
          .fill = Fill::small,
          .drawn_only = true,
          .drawn_apart = is_beside_device_,
          .seed = options_.seed ^ kOtherData};
}

}  // namespace spb::run
