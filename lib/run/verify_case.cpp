#include "run/verify_case.h"

#include <algorithm>
#include <array>
#include <exception>
#include <fmt/format.h>
#include <optional>

#include "core/error.h"

namespace spb::run {
namespace {

using verify::Fill;

constexpr uint64_t kOtherData = 0x9E3779B97F4A7C15u;  // seeds of data that must differ

struct ExactFill {
  Fill fill;
  const char* title;
};
constexpr ExactFill kExactFills[] = {
    {Fill::small, "exact small"}, {Fill::wide_a, "exact wide_a"}, {Fill::wide_b, "exact wide_b"}};

/// Sums that a class with 16-bit partials, atomics or accumulators still holds exactly.
double exact_limit(const verify::ArithmeticModel& model) {
  double limit = 0;
  for (const Dtype narrow : {model.partials, model.atomics, model.accumulator})
    if (narrow == Dtype::bf16)
      return 256;
    else if (narrow == Dtype::f16)
      limit = 2048;
  return limit;
}

/// Sums that a stored output holds exactly, whatever the 24 bits of its accumulator allow.
double output_limit(Dtype dtype) { return std::ldexp(1.0, info(dtype).output_bits); }

/// Contents that nothing in a run may change.
struct Unchanging {
  uint64_t inputs = 0, weights = 0, plan = 0;
};

class CaseVerifier {
 public:
  CaseVerifier(Session& session, const Problem& problem, CaseData& data, const RunOptions& options,
               const Report& report, Verdict& verdict)
      : session_(session),
        problem_(problem),
        data_(data),
        options_(options),
        report_(report),
        verdict_(verdict),
        map_(data.reference_map(problem.geometry)),
        model_(arithmetic_model(session.plan->description().arithmetic)) {}

  bool check_map();
  void run_on_other_data();
  bool check_exact();
  bool check_fp();
  bool check_special();
  bool check_timed_outputs(const verify::HostOperands& timed);
  bool check_sample(uint64_t seed);

 private:
  struct Run {
    const char* name;
    std::optional<uint8_t> poison;
  };

  bool fail(const std::string& detail);
  Unchanging unchanging() const;
  bool run_once(const std::string& title, const Run& run, OutputBits& bits);
  bool run_and_compare(const Expectation& e, const std::string& title);
  bool compare(const Expectation& e, const std::string& title, const OutputBits& bits);
  bool judge(const verify::Comparison& comparison, const Expectation& e, const Expected& expected,
             std::span<const float> got, const std::string& title, bool is_bias);
  bool check_sums(const Expectation& e, const std::string& title, const OutputBits& bits);
  bool check_fp_sums(const verify::HostOperands& seen, const std::string& title,
                     const OutputBits& bits);
  bool accept(const verify::Checksum& sum, const std::string& title);
  int64_t total_elements() const;

  Session& session_;
  const Problem& problem_;
  CaseData& data_;
  const RunOptions& options_;
  const Report& report_;
  Verdict& verdict_;
  const MapSet& map_;
  verify::ArithmeticModel model_;
  std::string mistrust_;  // of the last comparison; empty: trusted
};

bool CaseVerifier::fail(const std::string& detail) {
  verdict_.status = "fail";
  verdict_.detail = detail;
  return false;
}

// Rows are compared one by one for every kind: plans list strided outputs in lexicographic order as
// the reference does (maps/maps.h), so that operands need no renumbering.
bool CaseVerifier::check_map() {
  const verify::MapComparison comparison =
      verify::compare_maps(map_, session_.plan->map(session_.stream), data_.voxels().size(), true,
                           data_.voxels().coords);
  verdict_.map_status = comparison.ok() ? "pass" : "fail";
  if (comparison.ok()) return true;
  for (const std::string& line : comparison.examples) report_(line);
  return fail(fmt::format("map: {} pairs missing, {} extra, {} repeated, {} wrong output coords",
                          comparison.missing, comparison.extra, comparison.repeated,
                          comparison.bad_coords));
}

// So that the first judged run finds outputs, workspace and caches full of other results.
void CaseVerifier::run_on_other_data() {
  const auto n_out = static_cast<int64_t>(map_.out_coords.size());
  session_.operands.upload(verify::fill_operands(problem_, data_.voxels().size(), n_out,
                                                 Fill::small, 0, options_.seed ^ kOtherData),
                           session_.stream);
  session_.run();
}

Unchanging CaseVerifier::unchanging() const {
  const auto hash = [&](gpu::Tag tag) {
    return session_.allocator.content_hash(tag, session_.stream);
  };
  return {hash(gpu::Tag::input), hash(gpu::Tag::weight), hash(gpu::Tag::plan)};
}

bool CaseVerifier::run_once(const std::string& title, const Run& run, OutputBits& bits) {
  if (run.poison)
    for (const gpu::Tag tag : {gpu::Tag::output, gpu::Tag::workspace})
      session_.allocator.poison(tag, *run.poison, session_.stream);
  session_.run();
  const auto damage = session_.allocator.damaged_guards(session_.stream);
  if (!damage.empty())
    return fail(fmt::format("{}: guard of {} buffer of {} bytes overwritten at byte {} ({})", title,
                            name(damage[0].tag), damage[0].buffer_bytes, damage[0].offset,
                            run.name));
  bits = session_.operands.download(session_.stream);
  return true;
}

/// Three runs: on what the data before left, on NaN bytes, on zeros.
bool CaseVerifier::run_and_compare(const Expectation& e, const std::string& title) {
  constexpr std::array<Run, 3> kRuns{
      {{"dirty buffers", std::nullopt}, {"0xFF poison", 0xFF}, {"0x00 poison", 0x00}}};
  session_.operands.upload(e.operands, session_.stream);
  const Unchanging before = unchanging();
  std::array<OutputBits, kRuns.size()> bits;
  for (size_t i = 0; i < kRuns.size(); ++i)
    if (!run_once(title, kRuns[i], bits[i])) return false;

  const Unchanging after = unchanging();
  if (after.inputs != before.inputs) return fail(title + ": an input was overwritten");
  if (after.weights != before.weights) return fail(title + ": weights, an input, were overwritten");
  if (after.plan != before.plan) return fail(title + ": a map of the plan was overwritten");

  // The poisoned run comes first: its leftovers are recognized by the report.
  for (const size_t i : {size_t{1}, size_t{2}, size_t{0}}) {
    if (i != 1 && same_bits(bits[i], bits[1])) continue;
    if (!compare(e, fmt::format("{} ({})", title, kRuns[i].name), bits[i])) return false;
    if (i == 1) continue;
    const bool claimed = session_.plan->description().arithmetic.deterministic;
    if (e.request.exact || claimed)
      return fail(
          fmt::format("{}: runs with {} and {} differ", title, kRuns[1].name, kRuns[i].name));
    verdict_.deterministic = false;
  }
  return !e.request.sampled || check_sums(e, title, bits[1]);
}

int64_t CaseVerifier::total_elements() const {
  switch (problem_.direction) {
    case Direction::fprop:
      return static_cast<int64_t>(map_.out_coords.size()) * problem_.c_out;
    case Direction::dgrad:
      return data_.voxels().size() * problem_.c_in;
    case Direction::wgrad:
      break;
  }
  return problem_.weight_count();
}

bool CaseVerifier::compare(const Expectation& e, const std::string& title, const OutputBits& bits) {
  const std::vector<float> got = e.pick_main(decoded(bits, problem_.dtype));
  const int64_t total = total_elements();
  const verify::Comparison main =
      e.request.exact ? verify::compare_exact(e.result.main, got, problem_.dtype, total)
                      : verify::compare_bounded(e.result.main, got, problem_.dtype, model_, total);
  mistrust_ = main.mistrusted ? main.mistrust_reason : "";
  const double fraction =
      total == 0 ? 1 : static_cast<double>(main.compared) / static_cast<double>(total);
  verdict_.verified_fraction = std::max(verdict_.verified_fraction, fraction);
  if (!judge(main, e, e.result.main, got, title, false)) return false;

  if (bits.bias.empty() || (e.request.exact && !e.bias_is_exact)) return true;
  const std::vector<float> bias = e.pick_bias(bits.bias);
  // The bias gradient is summed by scalar additions, never by matrix instructions.
  const verify::Comparison side =
      e.request.exact ? verify::compare_exact(e.result.bias, bias, Dtype::f32)
                      : verify::compare_bounded(e.result.bias, bias, Dtype::f32, {});
  return judge(side, e, e.result.bias, bias, title + " bias gradient", true);
}

bool CaseVerifier::judge(const verify::Comparison& comparison, const Expectation& e,
                         const Expected& expected, std::span<const float> got,
                         const std::string& title, bool is_bias) {
  if (!e.request.exact) {
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
  if (problem_.direction == Direction::dgrad) names.coords = data_.voxels().coords;
  names.rows = e.rows;
  names.bias_gradient = is_bias;
  if (!is_bias) names.tile_sum = verify::tile_sums(problem_, map_, e.seen(), e.rows);
  for (const std::string& line :
       verify::report_lines(comparison, expected, got, e.compared_problem(), names))
    report_(line);

  std::string detail =
      fmt::format("{}: {} of {} elements wrong", title, comparison.mismatches, comparison.compared);
  if (!comparison.worst.empty()) {
    const verify::Mismatch& worst = comparison.worst.front();
    detail += fmt::format(", worst row {} column {}: expected {:.9g}, got {:.9g}", worst.row,
                          worst.col, worst.expected, worst.got);
  }
  return fail(detail);
}

bool CaseVerifier::check_sums(const Expectation& e, const std::string& title,
                              const OutputBits& bits) {
  if (!e.request.exact) return check_fp_sums(e.seen(), title, bits);
  // Half: the largest sum is known of the sample only. What the output type cannot hold exactly is
  // left to the checksum of fp mode.
  if (2 * e.largest_abs_sum > output_limit(problem_.dtype)) return true;
  return accept(verify::checksum_exact(problem_, map_, data_.voxels().size(), e.seen(),
                                       decoded(bits, problem_.dtype), options_.seed),
                title);
}

bool CaseVerifier::check_fp_sums(const verify::HostOperands& seen, const std::string& title,
                                 const OutputBits& bits) {
  return accept(verify::checksum_fp(problem_, map_, data_.voxels().size(), seen,
                                    decoded(bits, problem_.dtype), model_, options_.seed),
                title);
}

bool CaseVerifier::accept(const verify::Checksum& sum, const std::string& title) {
  verdict_.checksum_rms = std::max(verdict_.checksum_rms, sum.rms);
  verdict_.checksum_status = sum.ok ? "pass" : "fail";
  return sum.ok || fail(fmt::format("{}: checksum of {} rows wrong, first row {}", title,
                                    sum.bad_rows, sum.first_bad_row));
}

bool CaseVerifier::check_exact() {
  const double limit = exact_limit(model_);
  bool trusted = false;
  std::string reason;
  for (const ExactFill& fill : kExactFills) {
    if (limit != 0 && fill.fill != Fill::small) continue;
    const Expectation& e = data_.expectation({.problem = problem_,
                                              .fill = fill.fill,
                                              .exact = true,
                                              .sampled = is_large(problem_, map_, options_),
                                              .max_abs_sum = limit,
                                              .seed = options_.seed});
    if (!run_and_compare(e, fill.title)) return false;
    trusted |= mistrust_.empty();
    if (reason.empty()) reason = mistrust_;
  }
  verdict_.modes += "exact";
  if (!trusted) {
    verdict_.status = "mistrusted";
    verdict_.detail = "exact: " + reason;
  }
  return true;
}

bool CaseVerifier::check_fp() {
  const Expectation& e = data_.expectation({.problem = problem_,
                                            .fill = Fill::relu,
                                            .sampled = is_large(problem_, map_, options_),
                                            .seed = options_.seed});
  if (!run_and_compare(e, "fp relu")) return false;
  verdict_.modes += verdict_.modes.empty() ? "fp" : ",fp";
  if (!mistrust_.empty()) {
    verdict_.status = "mistrusted";
    verdict_.detail = "fp: " + mistrust_;
  }
  return true;
}

/// NaN, infinities, -0 and subnormals in one input row: what its map misses must not see them.
bool CaseVerifier::check_special() {
  const Expectation& e = data_.expectation({.problem = problem_,
                                            .fill = Fill::special,
                                            .sampled = is_large(problem_, map_, options_),
                                            .seed = options_.seed});
  session_.operands.upload(e.operands, session_.stream);
  OutputBits bits;
  // Zeros, not NaN bytes: where NaN is expected an unwritten element would pass.
  return run_once("fp special", {"0x00 poison", 0x00}, bits) && compare(e, "fp special", bits);
}

bool CaseVerifier::check_timed_outputs(const verify::HostOperands& timed) {
  return check_fp_sums(verify::rounded(timed, problem_.dtype), "timed outputs",
                       session_.operands.download(session_.stream));
}

bool CaseVerifier::check_sample(uint64_t seed) {
  const Expectation& e =
      data_.expectation({.problem = problem_, .fill = Fill::relu, .sampled = true, .seed = seed});
  session_.operands.upload(e.operands, session_.stream);
  OutputBits bits;
  return run_once("after timing", {"0xFF poison", 0xFF}, bits) && compare(e, "after timing", bits);
}

}  // namespace

bool is_large(const Problem& problem, const MapSet& map, const RunOptions& options) {
  return static_cast<double>(map.triples.size()) * problem.c_in * problem.c_out >
         options.verify_macs;
}

verify::ArithmeticModel arithmetic_model(const Arithmetic& arithmetic) {
  verify::ArithmeticModel model{.mma_depth = arithmetic.mma_depth,
                                .mma_rounding = arithmetic.mma_rounding};
  struct Suffix {
    std::string_view name;
    Dtype verify::ArithmeticModel::*type;
  };
  constexpr Suffix kSuffixes[] = {{"+partials=", &verify::ArithmeticModel::partials},
                                  {"+atomics=", &verify::ArithmeticModel::atomics},
                                  {"+acc=", &verify::ArithmeticModel::accumulator}};
  const std::string_view text = arithmetic.arithmetic_class;
  for (const Suffix& suffix : kSuffixes)
    if (const size_t found = text.find(suffix.name); found != std::string_view::npos) {
      const std::string_view rest = text.substr(found + suffix.name.size());
      model.*suffix.type = parse_dtype(rest.substr(0, rest.find('+')), "arithmetic class");
    }
  return model;
}

Verdict verify_case(Session& session, const Algorithm& algorithm, const Problem& problem,
                    CaseData& data, const RunOptions& options, const Report& report) {
  Verdict verdict;
  if (!options.verify_exact && !options.verify_fp) return verdict;
  verdict.status = "pass";
  CaseVerifier verifier(session, problem, data, options, report, verdict);
  if (!verifier.check_map()) return verdict;
  verifier.run_on_other_data();
  if (options.verify_exact && !verifier.check_exact()) return verdict;
  if (!options.verify_fp || !verifier.check_fp()) return verdict;
  const std::string once = fmt::format("special {} {} {}", algorithm.name, info(problem.dtype).name,
                                       name(problem.direction));
  if (data.first_time(once)) verifier.check_special();
  return verdict;
}

void verify_again(Session& session, const verify::HostOperands& timed, const Problem& problem,
                  CaseData& data, const RunOptions& options, const Report& report,
                  Verdict& verdict) {
  if (verdict.status == "not_run" || verdict.failed()) return;
  CaseVerifier verifier(session, problem, data, options, report, verdict);
  if (verifier.check_timed_outputs(timed)) verifier.check_sample(options.seed ^ kOtherData);
}

}  // namespace spb::run
