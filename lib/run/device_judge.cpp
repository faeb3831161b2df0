// SPDX-License-Identifier: Apache-2.0
#include "run/device_judge.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <limits>
#include <set>

#include "core/error.h"
#include "core/tensors.h"
#include "gpu/device_info.h"
#include "verify/rounding.h"

namespace spb::run {
namespace {

constexpr int64_t kMostHeld = 1 << 18;  // elements in which the references are held to each other
constexpr size_t kMostRows = 64;        // of a report

bool is_near(double a, double b, double slack) {
  if (!std::isfinite(a) || !std::isfinite(b)) return a == b || (std::isnan(a) && std::isnan(b));
  return std::abs(a - b) <= slack;
}

/// Both add in fp64, each in its own order; sums of magnitudes the host has in fp32. Scales are
/// differences of larger numbers.
bool agree(const Expected& host, size_t at, const Expected& device, size_t found,
           const ExpectationRequest& request) {
  constexpr double kSum = 1e-12, kMagnitudes = 1e-4, kScale = 1e-6;
  const double y = host.value[at], other = device.value[found], abs = host.abs_sum[at];
  if (host.terms[at] != device.terms[found]) return false;
  const bool same_abs = is_near(abs, device.abs_sum[found], kMagnitudes * abs);
  if (request.exact) {
    // Of one product the host has no more than fp32 holds, as it is stored.
    const auto stored = [&](double value) {
      const Dtype dtype = request.problem.dtype;
      return stored_value(round_output(value, dtype), info(dtype).out);
    };
    return is_near(stored(y), stored(other), 0) && (same_abs || !verify::is_thinned(request.fill));
  }
  if (!is_near(y, other, kSum * abs)) return false;
  if (!std::isfinite(y)) return true;
  return same_abs &&
         is_near(host.error_scale[at], device.error_scale[found], kScale * host.error_scale[at]) &&
         is_near(host.partial_scale[at], device.partial_scale[found],
                 kScale * host.partial_scale[at]);
}

device_reference::Judged judged(const ExpectationRequest& request) {
  using device_reference::Judged;
  if (!request.exact) return Judged::bounded;
  // Sums of 8-bit integers are exact up to 2^31.
  const bool is_small =
      verify::is_thinned(request.fill) && !info(request.problem.dtype).is_integer();
  return is_small ? Judged::integers : Judged::exact;
}

device_reference::Tolerance tolerance_of(const ExpectationRequest& request,
                                         const verify::ArithmeticModel& model, bool flushes) {
  const double accumulator = verify::accumulator_unit(model),
               partials = verify::unit_of(model.partials), atomics = verify::unit_of(model.atomics),
               narrow = verify::narrow_sums(model, 1).unit;
  const Math& math = info(request.problem.dtype);
  if (request.exact) {
    // Fills stay at half of what sums that tensor cores keep to themselves hold.
    const bool cut_throughout = narrow > 0 && model.promoted_products == 0;
    const double most = cut_throughout            ? std::ldexp(1.0, model.sum_bits)
                        : request.max_abs_sum > 0 ? request.max_abs_sum
                                                  : 0x1p24;
    const bool may_be_inexact = verify::is_thinned(request.fill) && !math.is_integer();
    return {.exact = true,
            .flushes = flushes,
            .most_abs_sum =
                may_be_inexact ? std::min(most, 0x1p24) : std::numeric_limits<double>::infinity(),
            .unit = std::max({accumulator, partials, atomics}),
            .narrow_unit = narrow,
            .narrow_products = static_cast<double>(model.promoted_products)};
  }
  return {.unit = accumulator,
          .mma_growth = model.mma_depth > 0 ? model.mma_rounding / model.mma_depth : 0,
          .chain = model.chain,
          .partials = 3 * (partials + atomics),
          .products = 4 * atomics * std::sqrt(model.additions) + 2 * math.product_error,
          .narrow_unit = narrow,
          .narrow_products = static_cast<double>(model.promoted_products)};
}

}  // namespace

References parse_references(std::string_view word, std::string_view where) {
  if (word.empty()) return References::automatic;
  if (word == "host") return References::host;
  if (word == "both") return References::both;
  if (word == "device") return References::device;
  throw usage_error(where, fmt::format("\"{}\" is unknown", word), "use host, both or device");
}

bool has_device_judge(References references) {
  if (references == References::automatic) return !gpu::on_host();
  return references != References::host;
}

std::optional<std::string> lacks_memory(const Problem& problem, const MapSet& map, int64_t n_in) {
  const MapSize size{n_in, static_cast<int64_t>(map.out_coords.size())};
  const int64_t needed = device_reference::needed_bytes(problem, size,
                                                        static_cast<int64_t>(map.triples.size())),
                free = gpu::free_memory_bytes();
  if (needed <= free) return std::nullopt;
  return fmt::format("it takes {} bytes of the device, {} are free", needed, free);
}

DeviceJudge::DeviceJudge(const Problem& problem, const MapSet& map, int64_t n_in)
    : problem_(problem),
      operand_bytes_(device_reference::needed_bytes(
          problem, {n_in, static_cast<int64_t>(map.out_coords.size())},
          static_cast<int64_t>(map.triples.size()))),
      reference_(problem, map, n_in) {}

std::string DeviceJudge::write(const Expectation& e) {
  if (written_ == e.request) return {};
  written_.reset();
  if (std::string other = reference_.write(*e.seen(), judged(e.request)); !other.empty())
    return other;
  std::string other = e.result.main.value.empty() ? std::string() : difference(e);
  if (other.empty()) written_ = e.request;
  return other;
}

std::string DeviceJudge::difference(const Expectation& e) const {
  const Expected& host = e.result.main;
  const auto count = static_cast<int64_t>(host.value.size());
  const int64_t step = std::max<int64_t>(1, count / kMostHeld);
  std::vector<int64_t> elements;
  for (int64_t at = 0; at < count; at += step) elements.push_back(e.whole_index(at));
  const Expected device = reference_.expect(elements);
  for (size_t i = 0; i < elements.size(); ++i) {
    const size_t at = i * static_cast<size_t>(step);
    if (!agree(host, at, device, i, e.request))
      return fmt::format(
          "the references differ in element {}: {:.9g} on the host, {:.9g} on the device",
          elements[i], host.value[at], device.value[i]);
  }
  return {};
}

device_reference::FoundSums* DeviceJudge::found_of(const ExpectationRequest& request) {
  const auto found = std::ranges::find(found_, request, &Found::request);
  return found == found_.end() ? nullptr : &found->sums;
}

bool DeviceJudge::leaves_room_for(int64_t more_bytes) const {
  constexpr int64_t kLeft = 3, kOfOperands = 8;
  const int64_t held = reference_.held_bytes() + more_bytes,
                free = gpu::free_memory_bytes() - more_bytes;
  return kLeft * held <= free && kOfOperands * operand_bytes_ <= free;
}

device_reference::Tally DeviceJudge::judge(const Expectation& e,
                                           const device_reference::StoredOutput& stored,
                                           const verify::ArithmeticModel& model, bool flushes) {
  const device_reference::Tolerance tolerance = tolerance_of(e.request, model, flushes);
  if (const auto* found = found_of(e.request))
    return reference_.judge_by(*found, stored, tolerance);
  if (e.request.exact || !leaves_room_for(reference_.found_bytes()))
    return reference_.judge(stored, tolerance);
  try {
    device_reference::FoundSums sums;
    const device_reference::Tally tally = reference_.judge(stored, tolerance, &sums);
    found_.push_back({e.request, std::move(sums)});
    return tally;
  } catch (const gpu::OutOfMemory&) {  // in pieces: none of them is as large
    return reference_.judge(stored, tolerance);
  }
}

WrongRows DeviceJudge::wrong_rows(const device_reference::Tally& tally,
                                  std::span<const float> whole) const {
  const int64_t cols = main_output(problem_, {}).shape.columns();
  WrongRows wrong;
  std::vector<int64_t> elements;
  std::set<int64_t> rows{tally.worst / cols};
  for (const int64_t element : tally.mismatched) {
    if (rows.size() == kMostRows) break;
    rows.insert(element / cols);
  }
  for (const int64_t row : rows) {
    wrong.rows.push_back(row);
    for (int64_t col = 0; col < cols; ++col) {
      elements.push_back(row * cols + col);
      wrong.got.push_back(whole[static_cast<size_t>(row * cols + col)]);
    }
  }
  wrong.expected = reference_.expect(elements);
  wrong.expected.rows = static_cast<int64_t>(wrong.rows.size());
  wrong.expected.cols = cols;
  return wrong;
}

}  // namespace spb::run
