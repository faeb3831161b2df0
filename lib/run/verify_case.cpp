// SPDX-License-Identifier: Apache-2.0
#include "run/verify_case.h"

#include <algorithm>
#include <array>
#include <chrono>
#include <cmath>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "core/error.h"
#include "core/tensors.h"
#include "run/case_requests.h"
#include "run/check_map.h"
#include "run/repeats.h"
#include "verify/integers.h"

namespace spb::run {
namespace {

using verify::Fill;

class CaseVerifier {
 public:
  CaseVerifier(engines::Contender& contender, const Problem& problem, CaseData& data,
               const RunOptions& options, const Report& report, Verdict& verdict)
      : contender_(contender),
        problem_(problem),
        data_(data),
        report_(report),
        verdict_(verdict),
        map_(data.reference_map(problem.geometry)),
        n_in_(input_rows(map_, data.voxels())),
        model_(arithmetic_model(contender.description().arithmetic)),
        requests_(problem, map_, options, model_) {}

  bool check_choice();
  bool run_first();
  void run_on_other_data();
  bool check_exact();
  bool check_fp();
  bool check_lifted();
  bool check_special();
  bool check_timed_outputs(const Expectation& timed);
  bool check_sample();

 private:
  struct Run {
    const char* name;
    std::optional<uint8_t> poison;
  };
  using Clock = std::chrono::steady_clock;
  static constexpr Run kDirty{"dirty buffers", std::nullopt}, kPoisoned{"0xFF poison", 0xFF},
      kZeroed{"0x00 poison", 0x00};

  bool fail(const std::string& detail);
  void write(const HostOperands& operands);
  bool run_once(const std::string& title, const Run& run);
  bool check_buffers(const std::string& title, const char* runs);
  const OutputBits& outputs();
  bool run_and_compare(const Expectation& e, const std::string& title);
  bool judge_by_hash(const std::string& title, uint64_t hash);
  bool compare_other_run(const Expectation& e, const std::string& title, const Run& run);
  bool run_poisoned(const Expectation& e, const std::string& title);
  bool compare_and_sum(const Expectation& e, const std::string& title, const OutputBits& bits) {
    return compare(e, title, bits) &&
           (!e.request.sampled || !has_checksums(e) || check_sums(e, title, bits));
  }
  bool compare(const Expectation& e, const std::string& title, const OutputBits& bits);
  bool judge(const verify::Comparison& comparison, const Expectation& e, const Expected& expected,
             std::span<const float> got, const std::string& title, bool is_bias);
  bool check_sums(const Expectation& e, const std::string& title, const OutputBits& bits);
  bool check_fp_sums(const Expectation& e, const std::string& title, const OutputBits& bits);
  bool accept(const verify::Checksum& sum, const std::string& title);
  bool has_activation() const { return problem_.epilogue.activation != Activation::none; }
  /// Checksums are sums of products: no activation may change them.
  bool has_checksums(const Expectation& e) const {
    const Math& math = info(problem_.dtype);
    if (math.is_scaled() && e.request.exact)  // unscaled
      return math.is_integer() && !has_activation() && e.request.fill == Fill::small;
    return !has_activation() || (e.request.fill == Fill::lifted && verify::is_lifted(problem_));
  }
  /// Whether runs on the same operands may store other bits.
  bool may_differ(const Expectation& e) const {
    return !e.request.exact && !contender_.description().arithmetic.deterministic;
  }
  int64_t total_elements() const;

  engines::Contender& contender_;
  const Problem& problem_;
  CaseData& data_;
  const Report& report_;
  Verdict& verdict_;
  const MapSet& map_;
  int64_t n_in_;
  verify::ArithmeticModel model_;
  CaseRequests requests_;
  engines::Contents contents_;          // of what runs may not write, as they began
  std::string mistrust_;                // of the last comparison; empty: trusted
  std::optional<uint64_t> first_hash_;  // of the plan's first run, until it is judged
  const Clock::time_point start_ = Clock::now();
};

bool CaseVerifier::fail(const std::string& detail) {
  verdict_.status = VerifyStatus::fail;
  verdict_.detail = detail;
  return false;
}

// A right result of another choice than the one that was forced would be recorded under its name.
bool CaseVerifier::check_choice() {
  const auto ignored = contender_.ignored_choice();
  return !ignored || fail("choice: " + *ignored);
}

/// The first run of a fresh plan, on the operands that are judged first. Where later runs must
/// store the same bits, theirs judge it.
bool CaseVerifier::run_first() {
  const auto e = data_.expectation(requests_.first());
  write(e->operands);
  const std::string title = "first run of the plan";
  if (!run_once(title, kPoisoned)) return false;
  if (may_differ(*e)) return compare_and_sum(*e, title, outputs());
  first_hash_ = contender_.output_hash();
  return true;
}

// So that the first judged run after it finds outputs, workspace and caches full of other results.
void CaseVerifier::run_on_other_data() {
  const auto other = data_.expectation(requests_.other_data());
  contender_.write(other->operands);
  contender_.run(std::nullopt);
}

void CaseVerifier::write(const HostOperands& operands) {
  contender_.write(operands);
  contents_ = contender_.contents();
}

bool CaseVerifier::run_once(const std::string& title, const Run& run) {
  contender_.run(run.poison);
  return check_buffers(title, run.name);
}

/// Those that a run may not write.
bool CaseVerifier::check_buffers(const std::string& title, const char* runs) {
  if (const auto damage = contender_.damage())
    return fail(fmt::format("{}: guard of {} buffer of {} bytes overwritten at byte {} ({})", title,
                            damage->buffer, damage->buffer_bytes, damage->offset, runs));
  const engines::Contents now = contender_.contents();
  const char* what = now.inputs != contents_.inputs     ? "an input was"
                     : now.weights != contents_.weights ? "weights, an input, were"
                     : now.plan != contents_.plan       ? "a map of the plan was"
                                                        : nullptr;
  return !what || fail(fmt::format("{}: {} overwritten ({})", title, what, runs));
}

const OutputBits& CaseVerifier::outputs() {
  contender_.read(data_.outputs);
  return data_.outputs;
}

/// Three runs: on what the data before left, on NaN bytes, on zeros. Equal outputs are told by
/// their hashes where they lie, and then one of them is judged for all.
bool CaseVerifier::run_and_compare(const Expectation& e, const std::string& title) {
  write(e.operands);
  if (!run_once(title, kDirty)) return false;
  const uint64_t dirty = contender_.output_hash();
  // What no later run need repeat is judged before they overwrite it.
  if (may_differ(e) && !compare_and_sum(e, fmt::format("{} ({})", title, kDirty.name), outputs()))
    return false;
  if (!run_once(title, kPoisoned)) return false;
  const uint64_t poisoned = contender_.output_hash();
  const OutputBits& bits = outputs();
  if (!run_once(title, kZeroed)) return false;
  const bool zeroed_is_equal = contender_.output_hash() == poisoned;

  // The poisoned run comes first: its leftovers are recognized by the report.
  if (!compare_and_sum(e, fmt::format("{} ({})", title, kPoisoned.name), bits)) return false;
  if (!zeroed_is_equal && !compare_other_run(e, title, kZeroed)) return false;
  // Those with the bits of the poisoned run.
  verdict_.judged_runs += int{zeroed_is_equal} + int{!may_differ(e)};
  if (first_hash_ && !judge_by_hash(title, poisoned)) return false;
  if (dirty == poisoned) return true;
  if (may_differ(e)) {
    verdict_.deterministic = false;
    return true;
  }
  // Its outputs are overwritten by now: the same run once more.
  run_on_other_data();
  write(e.operands);
  return run_once(title, kDirty) && compare_other_run(e, title, kDirty);
}

/// The plan's first run and repeats. `hash`: of outputs that passed.
bool CaseVerifier::judge_by_hash(const std::string& title, uint64_t hash) {
  ++verdict_.judged_runs;
  if (std::exchange(first_hash_, std::nullopt) != hash)
    return fail(title + ": the first run of the plan stored other bits than later ones");
  const Repeats repeats = repeat_runs(contender_, hash, Clock::now() - start_);
  verdict_.judged_runs += repeats.runs;
  if (repeats.last_differs)
    return fail(
        fmt::format("{}: repeat {} stored other bits than the runs before", title, repeats.runs));
  return check_buffers(title, "repeats");
}

/// One run, for operands whose values matter: what differs between runs shows with others.
bool CaseVerifier::run_poisoned(const Expectation& e, const std::string& title) {
  write(e.operands);
  return run_once(title, kPoisoned) && compare(e, title, outputs());
}

/// Judges a run whose outputs differ from those of the poisoned run.
bool CaseVerifier::compare_other_run(const Expectation& e, const std::string& title,
                                     const Run& run) {
  if (!compare_and_sum(e, fmt::format("{} ({})", title, run.name), outputs())) return false;
  if (!may_differ(e))
    return fail(fmt::format("{}: runs with {} and {} differ", title, kPoisoned.name, run.name));
  verdict_.deterministic = false;
  return true;
}

int64_t CaseVerifier::total_elements() const {
  const auto n_out = static_cast<int64_t>(map_.out_coords.size());
  return main_output(problem_, {n_in_, n_out}).shape.count();
}

bool CaseVerifier::compare(const Expectation& e, const std::string& title, const OutputBits& bits) {
  ++verdict_.judged_runs;
  std::vector<float> sample;
  if (e.request.sampled) sample = e.pick_main(bits.main);
  const std::span<const float> got =
      e.request.sampled ? std::span<const float>(sample) : std::span<const float>(bits.main);
  const int64_t total = total_elements();
  const bool flushes = contender_.description().arithmetic.adds_to_memory;
  const verify::Comparison main =
      e.request.exact ? verify::compare_exact(e.result.main, got, problem_.dtype, total, flushes)
                      : verify::compare_bounded(e.result.main, got, problem_.dtype, model_, total);
  mistrust_ = main.mistrusted ? main.mistrust_reason : "";
  const double fraction =
      total == 0 ? 1 : static_cast<double>(main.compared) / static_cast<double>(total);
  verdict_.verified_fraction = std::max(verdict_.verified_fraction, fraction);
  if (!judge(main, e, e.result.main, got, title, false)) return false;

  if (bits.bias.empty() || (e.request.exact && !e.bias_is_exact)) return true;
  // The bias gradient is summed by scalar additions, never by matrix instructions.
  const verify::Comparison side =
      e.request.exact ? verify::compare_exact(e.result.bias, bits.bias, Dtype::f32, 0, flushes)
                      : verify::compare_bounded(e.result.bias, bits.bias, Dtype::f32, {});
  return judge(side, e, e.result.bias, bits.bias, title + " bias gradient", true);
}

bool CaseVerifier::judge(const verify::Comparison& comparison, const Expectation& e,
                         const Expected& expected, std::span<const float> got,
                         const std::string& title, bool is_bias) {
  // Special values are tried by one case of many, so that errors with them would tell which.
  if (!e.request.exact && e.request.fill != Fill::special) {
    verdict_.has_errors = true;
    verdict_.max_tolerance_ratio =
        std::max(verdict_.max_tolerance_ratio, comparison.max_tolerance_ratio);
    verdict_.max_abs = std::max(verdict_.max_abs, comparison.max_abs);
    verdict_.max_ulp = std::max(verdict_.max_ulp, comparison.max_ulp);
    verdict_.rel_l2 = std::max(verdict_.rel_l2, comparison.rel_l2);
  }
  if (comparison.mismatches == 0) return true;
  verdict_.mismatches = comparison.mismatches;

  verify::ReportNames names;
  names.title = fmt::format("{}, {}", name(problem_.direction), title);
  if (problem_.direction == Direction::fprop) names.coords = map_.out_coords;
  if (problem_.direction == Direction::dgrad) names.coords = input_coords(map_, data_.voxels());
  names.rows = e.rows;
  names.bias_gradient = is_bias;
  const auto seen = e.seen();
  if (!is_bias && !info(problem_.dtype).is_scaled())
    names.tile_sum = verify::tile_sums(problem_, map_, *seen, e.rows);
  for (const std::string& line : verify::report_lines(
           comparison, expected, got, is_bias ? e.request.problem : e.compared_problem(), names))
    report_(line);

  return fail(title + ": " + verify::mismatch_line(comparison));
}

bool CaseVerifier::check_sums(const Expectation& e, const std::string& title,
                              const OutputBits& bits) {
  if (!e.request.exact) return check_fp_sums(e, title, bits);
  // Half: the largest sum is known of the sample only. What the output type cannot hold exactly is
  // left to the checksum of fp mode.
  if (2 * e.largest_abs_sum > std::ldexp(1.0, info(problem_.dtype).output().bits)) return true;
  return accept(verify::check_sums(e.exact_sums(map_, n_in_), bits.main), title);
}

bool CaseVerifier::check_fp_sums(const Expectation& e, const std::string& title,
                                 const OutputBits& bits) {
  return accept(verify::check_sums(e.bounded_sums(map_, n_in_), bits.main, problem_.dtype, model_),
                title);
}

bool CaseVerifier::accept(const verify::Checksum& sum, const std::string& title) {
  verdict_.checksum_rms = std::max(verdict_.checksum_rms, sum.rms);
  verdict_.checksum_status = sum.ok ? VerifyStatus::pass : VerifyStatus::fail;
  return sum.ok || fail(fmt::format("{}: checksum of {} rows wrong, first row {}", title,
                                    sum.bad_rows, sum.first_bad_row));
}

bool CaseVerifier::check_exact() {
  bool trusted = false;
  std::string reason;
  verify::RoundingEvidence rounding;
  for (const ExactFill& fill : requests_.exact_fills()) {
    const auto e = data_.expectation(requests_.exact(fill.fill));
    if (!(verify::is_thinned(fill.fill) ? run_and_compare(*e, fill.title)
                                        : run_poisoned(*e, fill.title)))
      return false;
    trusted |= mistrust_.empty();
    if (reason.empty()) reason = mistrust_;
    rounding += verify::rounding_evidence(e->result.main, info(problem_.dtype).out);
  }
  if (trusted) reason = rounding.missing(problem_.epilogue);
  trusted = trusted && reason.empty();
  verdict_.modes += "exact";
  if (!trusted) {
    verdict_.status = VerifyStatus::mistrusted;
    verdict_.detail = "exact: " + reason;
  }
  return true;
}

bool CaseVerifier::check_fp() {
  const auto e = data_.expectation(requests_.fp(Fill::relu));
  if (!run_and_compare(*e, "fp relu")) return false;
  if (e->request.sampled && has_activation() && !check_lifted()) return false;
  verdict_.modes += verdict_.modes.empty() ? "fp" : ",fp";
  if (!mistrust_.empty()) {
    verdict_.status = VerifyStatus::mistrusted;
    verdict_.detail = "fp: " + mistrust_;
  }
  return true;
}

/// The whole output of a large case with an activation, on operands that it leaves as they are.
bool CaseVerifier::check_lifted() {
  const auto e = data_.expectation(requests_.fp(Fill::lifted));
  write(e->operands);
  return run_once("fp lifted", kPoisoned) && compare_and_sum(*e, "fp lifted", outputs());
}

/// NaN, infinities, -0 and subnormals in one input row: what its map misses must not see them.
bool CaseVerifier::check_special() {
  const auto e = data_.expectation(requests_.fp(Fill::special));
  write(e->operands);
  // Zeros, not NaN bytes: where NaN is expected an unwritten element would pass.
  return run_once("fp special", kZeroed) && compare(*e, "fp special", outputs());
}

bool CaseVerifier::check_timed_outputs(const Expectation& timed) {
  if (has_activation() || timed.request.exact) return compare(timed, "timed outputs", outputs());
  ++verdict_.judged_runs;
  return check_fp_sums(timed, "timed outputs", outputs());
}

bool CaseVerifier::check_sample() {
  const auto e = data_.expectation(requests_.sample_after_timing());
  return run_poisoned(*e, "after timing");
}

}  // namespace

Verdict verify_case(engines::Contender& contender, const std::string& algorithm,
                    const Problem& problem, CaseData& data, const RunOptions& options,
                    const Report& report) {
  Verdict verdict;
  if (!options.verify_exact && !options.verify_fp) return verdict;
  verdict.status = VerifyStatus::pass;
  CaseVerifier verifier(contender, problem, data, options, report, verdict);
  if (!verifier.check_choice()) return verdict;
  check_map(contender, algorithm, problem, data, report, verdict);
  if (verdict.failed() || !verifier.run_first()) return verdict;
  verifier.run_on_other_data();
  if (options.verify_exact && !verifier.check_exact()) return verdict;
  const bool fp = options.verify_fp && !info(problem.dtype).is_integer();
  if (!fp || !verifier.check_fp()) return verdict;
  const std::string once = fmt::format("special {} {} {} {}", algorithm, info(problem.dtype).name,
                                       name(problem.direction), mark(problem.epilogue));
  if (!data.is_done(once) && verifier.check_special()) data.set_done(once);
  return verdict;
}

void verify_again(engines::Contender& contender, const Expectation& timed, const Problem& problem,
                  CaseData& data, const RunOptions& options, const Report& report,
                  Verdict& verdict) {
  if (verdict.status == VerifyStatus::not_run || verdict.failed()) return;
  CaseVerifier verifier(contender, problem, data, options, report, verdict);
  if (verifier.check_timed_outputs(timed)) verifier.check_sample();
}

}  // namespace spb::run
