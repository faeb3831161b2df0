// SPDX-License-Identifier: Apache-2.0
#include "run/output_judge.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <utility>

#include "core/tensors.h"
#include "gpu/allocator.h"

namespace spb::run {

using verify::Fill;

OutputJudge::OutputJudge(const engines::Contender& contender, const Problem& problem,
                         CaseData& data, const RunOptions& options, bool is_large,
                         bool has_device_judge, const Report& report, Verdict& verdict)
    : contender_(contender),
      problem_(problem),
      data_(data),
      report_(report),
      verdict_(verdict),
      map_(data.reference_map(problem.geometry)),
      n_in_(input_rows(map_, data.voxels())),
      model_(arithmetic_model(contender.description().arithmetic)),
      references_(options.references),
      is_large_(is_large),
      has_device_judge_(has_device_judge) {}

bool OutputJudge::fail(const std::string& detail) {
  verdict_.status = VerifyStatus::fail;
  verdict_.detail = detail;
  return false;
}

int64_t OutputJudge::total_elements() const {
  const auto n_out = static_cast<int64_t>(map_.out_coords.size());
  return main_output(problem_, {n_in_, n_out}).shape.count();
}

/// Checksums are sums of products: no activation may change them.
bool OutputJudge::has_checksums(const Expectation& e) const {
  const Math& math = info(problem_.dtype);
  if (has_scales(problem_) && e.request.exact)  // unscaled
    return math.is_integer() && !has_activation() && e.request.fill == Fill::small;
  return !has_activation() || (e.request.fill == Fill::lifted && verify::is_lifted(problem_));
}

JudgedBy OutputJudge::judged_by(const Expectation& e, Checks checks) const {
  JudgedBy by{.request = e.request,
              .checks = checks,
              .references = references_,
              .device = has_device_judge_,
              .model = model_,
              .flushes = flushes()};
  // Exact sums have no bound that grows with a multiply's roundings.
  if (e.request.exact) by.model.mma_depth = 0, by.model.mma_rounding = by.model.chain = 0;
  if (problem_.direction == Direction::wgrad) by.layout = contender_.output_layout();
  return by;
}

bool OutputJudge::passes(const Expectation& e, const std::string& title, Checks checks,
                         uint64_t hash) {
  ++verdict_.judged_runs;
  const Judgement* known = data_.judged_outputs.find(judged_by(e, checks), hash);
  judgement_ = known ? *known : Judgement{};
  bool passed = known;
  if (!known) {
    has_whole_outputs_ = false;
    passed = judge(e, title, checks);
    // An engine that had not finished may hold other outputs by now.
    if (passed && contender_.output_hash() == hash)
      data_.judged_outputs.add(judged_by(e, checks), hash, judgement_);
  }
  verdict_.add(judgement_.evidence);
  return passed;
}

const OutputBits& OutputJudge::whole_outputs() {
  if (!std::exchange(has_whole_outputs_, true)) contender_.read(data_.outputs);
  return data_.outputs;
}

bool OutputJudge::judge(const Expectation& e, const std::string& title, Checks checks) {
  if (checks == Checks::whole) return judge_whole(e, title);
  if (!compare(e, title)) return false;
  if (has_device_judge_ && (e.request.sampled || references_ == References::device))
    return passes_on_device(e, title);
  return checks == Checks::elements || !e.request.sampled || !has_checksums(e) ||
         check_sums(e, title);
}

bool OutputJudge::judge_whole(const Expectation& e, const std::string& title) {
  if (!has_device_judge_ || (!is_large_ && references_ != References::device))
    return check_fp_sums(e, title);
  const bool passed = passes_on_device(e, title);
  judgement_.evidence.checksum_status = passed ? VerifyStatus::pass : VerifyStatus::fail;
  return passed;
}

bool OutputJudge::passes_timed(const Expectation& timed) {
  const std::string title = "timed outputs";
  if (!has_activation() && !timed.request.exact)
    return passes(timed, title, Checks::whole, contender_.output_hash());
  const bool passed = passes(timed, title, Checks::elements, contender_.output_hash());
  const bool judged_whole =
      has_device_judge_ && (timed.request.sampled || references_ == References::device);
  if (judged_whole) verdict_.checksum_status = passed ? VerifyStatus::pass : VerifyStatus::fail;
  return passed;
}

verify::Comparison OutputJudge::compare_main(const Expectation& e, const Expected& expected,
                                             std::span<const float> got) const {
  const int64_t total = total_elements();
  return e.request.exact ? verify::compare_exact(expected, got, problem_.dtype, total, flushes())
                         : verify::compare_bounded(expected, got, problem_.dtype, model_, total);
}

bool OutputJudge::compare(const Expectation& e, const std::string& title) {
  if (e.request.sampled) contender_.read_elements(e.whole_indices(), data_.outputs);
  const OutputBits& bits = e.request.sampled ? data_.outputs : whole_outputs();
  const std::span<const float> got = bits.main;
  const verify::Comparison main = compare_main(e, e.result.main, got);
  if (main.mistrusted) judgement_.mistrust = main.mistrust_reason;
  // The device's verdict is to stand alone where it can.
  if (references_ != References::device || !has_device_judge_) {
    note_fraction(main.compared);
    if (!accept(main, e, e.result.main, got, e.rows, title, false)) return false;
  }
  if (bits.bias.empty() || (e.request.exact && !e.bias_is_exact)) return true;
  // The bias gradient is summed by scalar additions, never by matrix instructions.
  const verify::Comparison side =
      e.request.exact ? verify::compare_exact(e.result.bias, bits.bias, Dtype::f32, 0, flushes())
                      : verify::compare_bounded(e.result.bias, bits.bias, Dtype::f32, {});
  return accept(side, e, e.result.bias, bits.bias, {}, title + " bias gradient", true);
}

bool OutputJudge::passes_on_device(const Expectation& e, const std::string& title) {
  device_reference::Tally tally;
  const bool judge_is_kept = data_.has_device_judge();
  try {
    DeviceJudge& judge = data_.device_judge(problem_);
    if (const std::string difference = judge.prepare(e); !difference.empty())
      return fail(title + ": " + difference);
    tally = judge.judge(
        e, {contender_.output(), main_output(problem_, {}).type, contender_.output_layout()},
        model_, flushes());
  } catch (const gpu::OutOfMemory& error) {
    // A new judge holds less.
    if (data_.drop_device_judge() && judge_is_kept) return passes_on_device(e, title);
    if (references_ != References::device) throw DeviceJudgeLost(error.what());
    return fail(fmt::format("{}: the device has no memory to judge it: {}", title, error.what()));
  }
  note_fraction(tally.compared);
  note_errors(e, tally);
  judgement_.evidence.device_judged = true;
  return tally.mismatches == 0 || report_wrong_rows(e, tally, title);
}

/// What the device found, in the words of the host, whose rule must find the same.
bool OutputJudge::report_wrong_rows(const Expectation& e, const device_reference::Tally& tally,
                                    const std::string& title) {
  WrongRows wrong;
  try {
    DeviceJudge& judge = data_.device_judge(problem_);
    if (const std::string difference = judge.write(e); !difference.empty())
      return fail(title + ": " + difference);
    wrong = judge.wrong_rows(tally, whole_outputs().main);
  } catch (const gpu::OutOfMemory& error) {
    verdict_.mismatches = tally.mismatches;
    return fail(
        fmt::format("{}: {} elements wrong, the worst of them number {}; no memory to list "
                    "them: {}",
                    title, tally.mismatches, tally.worst, error.what()));
  }
  verify::Comparison comparison = compare_main(e, wrong.expected, wrong.got);
  if (comparison.mismatches == 0)
    return fail(fmt::format("{}: {} elements wrong by the device's rule, none by the host's", title,
                            tally.mismatches));
  comparison.compared = tally.compared;
  comparison.mismatches = tally.mismatches;
  comparison.max_tolerance_ratio = tally.max_tolerance_ratio;
  comparison.max_abs = tally.max_abs;
  comparison.max_ulp = tally.max_ulp;
  comparison.rel_l2 = tally.rel_l2;
  return accept(comparison, e, wrong.expected, wrong.got, wrong.rows, title, false);
}

/// Special values are tried by one case of many, so that errors with them would tell which.
template <typename Errors>
void OutputJudge::note_errors(const Expectation& e, const Errors& errors) {
  if (e.request.exact || e.request.fill == Fill::special) return;
  judgement_.evidence.add({.has_errors = true,
                           .max_tolerance_ratio = errors.max_tolerance_ratio,
                           .max_abs = errors.max_abs,
                           .max_ulp = errors.max_ulp,
                           .rel_l2 = errors.rel_l2});
}

void OutputJudge::note_fraction(int64_t compared) {
  const int64_t total = total_elements();
  const double fraction =
      total == 0 ? 1 : static_cast<double>(compared) / static_cast<double>(total);
  judgement_.evidence.add({.verified_fraction = fraction});
}

bool OutputJudge::accept(const verify::Comparison& comparison, const Expectation& e,
                         const Expected& expected, std::span<const float> got,
                         std::span<const int64_t> rows, const std::string& title, bool is_bias) {
  note_errors(e, comparison);
  if (comparison.mismatches == 0) return true;
  verdict_.mismatches = comparison.mismatches;

  verify::ReportNames names;
  names.title = fmt::format("{}, {}", name(problem_.direction), title);
  if (problem_.direction == Direction::fprop) names.coords = map_.out_coords;
  if (problem_.direction == Direction::dgrad) names.coords = input_coords(map_, data_.voxels());
  names.rows = rows;
  names.bias_gradient = is_bias;
  const bool has_tile_sums = !is_bias && !has_scales(problem_);
  const auto seen = has_tile_sums ? e.seen_and_held() : nullptr;
  if (has_tile_sums) names.tile_sum = verify::tile_sums(problem_, map_, *seen, rows);
  const bool is_whole = is_bias || !e.channels || !rows.empty();
  for (const std::string& line : verify::report_lines(
           comparison, expected, got, is_whole ? e.request.problem : e.compared_problem(), names))
    report_(line);

  return fail(title + ": " + verify::mismatch_line(comparison, rows));
}

bool OutputJudge::check_sums(const Expectation& e, const std::string& title) {
  if (!e.request.exact) return check_fp_sums(e, title);
  // Half: the largest sum is known of the sample only. What the output type cannot hold exactly is
  // left to the checksum of fp mode.
  if (2 * e.largest_abs_sum > std::ldexp(1.0, info(problem_.dtype).output().bits)) return true;
  return accept(verify::check_sums(e.exact_sums(map_, n_in_), whole_outputs().main, problem_.dtype),
                title);
}

bool OutputJudge::check_fp_sums(const Expectation& e, const std::string& title) {
  return accept(
      verify::check_sums(e.bounded_sums(map_, n_in_), whole_outputs().main, problem_.dtype, model_),
      title);
}

bool OutputJudge::accept(const verify::Checksum& sum, const std::string& title) {
  judgement_.evidence.add({.checksum_status = sum.ok ? VerifyStatus::pass : VerifyStatus::fail,
                           .checksum_rms = sum.rms});
  return sum.ok || fail(fmt::format("{}: checksum of {} rows wrong, first row {}", title,
                                    sum.bad_rows, sum.first_bad_row));
}

}  // namespace spb::run
