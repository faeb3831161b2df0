// SPDX-License-Identifier: Apache-2.0
#include "run/verify_case.h"

#include <chrono>
#include <fmt/format.h>
#include <optional>
#include <utility>

#include "run/case_requests.h"
#include "run/check_map.h"
#include "run/output_judge.h"
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
        options_(options),
        report_(report),
        verdict_(verdict) {
    const bool wanted = has_device_judge(options.references);
    data.drop_other_judge(problem);
    const auto lack = wanted && !data.has_device_judge() ? lack_of_memory() : std::nullopt;
    prepare(wanted && !lack);
    if (lack && requests_->is_large()) warn_of_lack(*lack);
  }
  /// Whether `check` passes. Where the device has no memory left to judge, all of it again by the
  /// host alone, whose samples are then those of a machine without a GPU.
  template <typename Check>
  bool passes(const Check& check) {
    try {
      return check();
    } catch (const DeviceJudgeLost& lost) {
      warn_of_lack(lost.what());
    }
    data_.drop_device_judge();
    first_hash_.reset();
    prepare(false);
    return check();
  }

  bool check_choice();
  bool run_first();
  void run_on_other_data();
  bool check_exact();
  bool check_fp();
  bool check_lifted();
  bool check_special();
  bool check_timed_outputs(const Expectation& timed) { return judge_->passes_timed(timed); }
  bool check_after_timing();

 private:
  struct Run {
    const char* name;
    std::optional<uint8_t> poison;
  };
  using Clock = std::chrono::steady_clock;
  static constexpr Run kDirty{"dirty buffers", std::nullopt}, kPoisoned{"0xFF poison", 0xFF},
      kZeroed{"0x00 poison", 0x00};

  void prepare(bool device_judges);
  std::optional<std::string> lack_of_memory();
  void warn_of_lack(const std::string& lack) {
    report_(fmt::format("warning: the device does not judge every element: {}", lack));
  }
  bool fail(const std::string& detail);
  void write(const HostOperands& operands);
  bool run_once(const std::string& title, const Run& run);
  bool check_buffers(const std::string& title, const char* runs);
  /// Judges what the contender holds.
  bool judge_outputs(const Expectation& e, const std::string& title, uint64_t hash,
                     bool sums = true) {
    return judge_->passes(e, title, sums, hash);
  }
  bool run_and_compare(const Expectation& e, const std::string& title);
  bool judge_by_hash(const std::string& title, uint64_t hash);
  bool compare_other_run(const Expectation& e, const std::string& title, const Run& run,
                         uint64_t hash);
  bool run_poisoned(const Expectation& e, const std::string& title);
  /// Whether runs on the same operands may store other bits.
  bool may_differ(const Expectation& e) const {
    return !e.request.exact && !contender_.description().arithmetic.deterministic;
  }

  engines::Contender& contender_;
  const Problem& problem_;
  CaseData& data_;
  const RunOptions& options_;
  const Report& report_;
  Verdict& verdict_;
  std::optional<CaseRequests> requests_;
  std::optional<OutputJudge> judge_;
  engines::Contents contents_;          // of what runs may not write, as they began
  std::optional<uint64_t> first_hash_;  // of the plan's first run, until it is judged
  const Clock::time_point start_ = Clock::now();
};

void CaseVerifier::prepare(bool device_judges) {
  requests_.emplace(problem_, data_.reference_map(problem_.geometry), options_,
                    arithmetic_model(contender_.description().arithmetic), device_judges);
  judge_.emplace(contender_, problem_, data_, options_, requests_->is_large(), device_judges,
                 report_, verdict_);
}

std::optional<std::string> CaseVerifier::lack_of_memory() {
  const MapSet& map = data_.reference_map(problem_.geometry);
  return lacks_memory(problem_, map, input_rows(map, data_.voxels()));
}

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
  const auto e = data_.expectation(requests_->first());
  write(e->operands);
  const std::string title = "first run of the plan";
  if (!run_once(title, kPoisoned)) return false;
  const uint64_t hash = contender_.output_hash();
  if (may_differ(*e)) return judge_outputs(*e, title, hash);
  first_hash_ = hash;
  return true;
}

// So that the first judged run after it finds outputs, workspace and caches full of other results.
void CaseVerifier::run_on_other_data() {
  const auto other = data_.expectation(requests_->other_data());
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

/// Three runs: on what the data before left, on NaN bytes, on zeros. Equal outputs are told by
/// their hashes where they lie, and then one of them is judged for all.
bool CaseVerifier::run_and_compare(const Expectation& e, const std::string& title) {
  write(e.operands);
  if (!run_once(title, kDirty)) return false;
  const uint64_t dirty = contender_.output_hash();
  // What no later run need repeat is judged before they overwrite it.
  if (may_differ(e) && !judge_outputs(e, fmt::format("{} ({})", title, kDirty.name), dirty))
    return false;
  // The poisoned run is judged: its leftovers are recognized by the report.
  if (!run_once(title, kPoisoned)) return false;
  const uint64_t poisoned = contender_.output_hash();
  if (!judge_outputs(e, fmt::format("{} ({})", title, kPoisoned.name), poisoned)) return false;
  if (!run_once(title, kZeroed)) return false;
  const uint64_t zeroed = contender_.output_hash();
  const bool zeroed_is_equal = zeroed == poisoned;
  if (!zeroed_is_equal && !compare_other_run(e, title, kZeroed, zeroed)) return false;
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
  return run_once(title, kDirty) && compare_other_run(e, title, kDirty, contender_.output_hash());
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
  return run_once(title, kPoisoned) && judge_outputs(e, title, contender_.output_hash(), false);
}

/// Judges a run whose outputs differ from those of the poisoned run.
bool CaseVerifier::compare_other_run(const Expectation& e, const std::string& title, const Run& run,
                                     uint64_t hash) {
  if (!judge_outputs(e, fmt::format("{} ({})", title, run.name), hash)) return false;
  if (!may_differ(e))
    return fail(fmt::format("{}: runs with {} and {} differ", title, kPoisoned.name, run.name));
  verdict_.deterministic = false;
  return true;
}

bool CaseVerifier::check_exact() {
  bool trusted = false;
  std::string reason;
  verify::RoundingEvidence rounding;
  for (const ExactFill& fill : requests_->exact_fills()) {
    const auto e = data_.expectation(requests_->exact(fill.fill));
    if (!(verify::is_thinned(fill.fill) ? run_and_compare(*e, fill.title)
                                        : run_poisoned(*e, fill.title)))
      return false;
    trusted |= judge_->mistrust().empty();
    if (reason.empty()) reason = judge_->mistrust();
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
  const auto e = data_.expectation(requests_->fp(Fill::relu));
  if (!run_and_compare(*e, "fp relu")) return false;
  const std::string mistrust = judge_->mistrust();
  const bool has_activation = problem_.epilogue.activation != Activation::none;
  const bool is_judged_in_part = e->request.sampled && !judge_->judges_every_element();
  if (is_judged_in_part && has_activation && !check_lifted()) return false;
  verdict_.modes += verdict_.modes.empty() ? "fp" : ",fp";
  if (!mistrust.empty()) {
    verdict_.status = VerifyStatus::mistrusted;
    verdict_.detail = "fp: " + mistrust;
  }
  return true;
}

/// The whole output of a large case with an activation, on operands that it leaves as they are.
bool CaseVerifier::check_lifted() {
  const auto e = data_.expectation(requests_->fp(Fill::lifted));
  write(e->operands);
  return run_once("fp lifted", kPoisoned) &&
         judge_outputs(*e, "fp lifted", contender_.output_hash());
}

/// NaN, infinities, -0 and subnormals in one input row: what its map misses must not see them.
bool CaseVerifier::check_special() {
  const auto e = data_.expectation(requests_->fp(Fill::special));
  write(e->operands);
  // Zeros, not NaN bytes: where NaN is expected an unwritten element would pass.
  return run_once("fp special", kZeroed) &&
         judge_outputs(*e, "fp special", contender_.output_hash(), false);
}

bool CaseVerifier::check_after_timing() {
  const auto e = data_.expectation(requests_->after_timing());
  write(e->operands);
  const std::string title = "after timing";
  return run_once(title, kPoisoned) && judge_outputs(*e, title, contender_.output_hash());
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
  if (verdict.failed()) return verdict;
  const Verdict of_the_map = verdict;
  verifier.passes([&] {
    verdict = of_the_map;
    if (!verifier.run_first()) return false;
    verifier.run_on_other_data();
    if (options.verify_exact && !verifier.check_exact()) return false;
    const bool fp = options.verify_fp && !info(problem.dtype).is_integer();
    if (!fp || !verifier.check_fp()) return false;
    const std::string once = fmt::format("special {} {} {} {}", algorithm, info(problem.dtype).name,
                                         name(problem.direction), mark(problem.epilogue));
    if (!data.is_done(once) && verifier.check_special()) data.set_done(once);
    return true;
  });
  data.make_room();
  return verdict;
}

void verify_again(engines::Contender& contender, const Expectation& timed, const Problem& problem,
                  CaseData& data, const RunOptions& options, const Report& report,
                  Verdict& verdict) {
  if (verdict.status == VerifyStatus::not_run || verdict.failed()) return;
  CaseVerifier verifier(contender, problem, data, options, report, verdict);
  if (verifier.passes([&] { return verifier.check_timed_outputs(timed); }))
    verifier.passes([&] { return verifier.check_after_timing(); });
  data.make_room();
}

}  // namespace spb::run
