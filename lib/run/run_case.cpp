// SPDX-License-Identifier: Apache-2.0
#include "run/run_case.h"

#include <algorithm>
#include <exception>
#include <fmt/format.h>
#include <iterator>
#include <new>
#include <span>
#include <utility>

#include "bench/host_wall.h"
#include "core/error.h"
#include "gpu/allocator.h"
#include "run/case_requests.h"
#include "run/dense_layer.h"
#include "run/device_judge.h"
#include "run/limits.h"
#include "run/record_case.h"
#include "run/verify_case.h"
#include "run/verify_shapes.h"

namespace spb::run {
namespace {

constexpr uint64_t kTimingSeed = 0xD1B54A32D192ED03u;  // timed data are not the verified data

CaseRows ended(Record record, Status status, const std::string& detail) {
  record[columns::status] = status;
  record[columns::status_detail] = detail;
  return {{std::move(record)}, {{}}};
}

Status status_of(const Verdict& verdict) {
  if (verdict.failed()) return Status::incorrect;
  return verdict.status == VerifyStatus::mistrusted ? Status::mistrusted : Status::ok;
}

class CaseRun {
 public:
  CaseRun(const engines::Implementation& algorithm, const Problem& problem, CaseData& data,
          const RunOptions& options, const Report& report)
      : algorithm_(algorithm), problem_(problem), data_(data), options_(options), report_(report) {}

  /// Fills `record` as far as the case gets; returns its rows.
  CaseRows run(Record& record) {
    plan_and_verify(record);
    if (options_.time && (verdict_.status == VerifyStatus::pass ||
                          verdict_.status == VerifyStatus::not_run || options_.time_anyway)) {
      time_and_verify_again();
      if (options_.timing.round == 0) account_memory(record);
    }
    add_verdict(record, verdict_, options_);
    if (verdict_.status != VerifyStatus::not_run) record[columns::verify_s] = verify_s_;
    record[columns::status] = status_of(verdict_);
    return rows(record);
  }

 private:
  void plan_and_verify(Record& record) {
    algorithm_.check_room(problem_, data_.voxels());
    add_map(record, problem_, data_);
    const MapSet& map = data_.reference_map(problem_.geometry);
    n_pairs_ = static_cast<int64_t>(map.triples.size());
    const auto contender = algorithm_.prepare(problem_, data_.voxels(), true);
    size_ = contender->size();
    add_plan(record, contender->description(), problem_, n_pairs_);
    record[columns::variant_source] = algorithm_.choice_source();
    // A later round comes only to what passed in the first.
    if (options_.timing.round > 0)
      verdict_.status =
          options_.verify_exact || options_.verify_fp ? VerifyStatus::pass : VerifyStatus::not_run;
    else
      take_verify_time([&] {
        verdict_ = verify_case(*contender, algorithm_.name(), problem_, data_, options_, report_);
        if (options_.verify_shapes && verdict_.status == VerifyStatus::pass)
          verify_shapes(algorithm_, problem_, options_, report_, verdict_);
      });
  }

  /// Of what a run without verification leaves out.
  template <typename Work>
  void take_verify_time(Work&& work) {
    verify_s_ += bench::host_wall_us(std::forward<Work>(work)) / 1e6;
  }

  void time_and_verify_again() {
    using engines::TimedPhase;
    // The kernel first, cold before hot: the first one is ranked, and its outputs are judged.
    constexpr TimedPhase kTimed[] = {TimedPhase::kernel_cold, TimedPhase::kernel_hot,
                                     TimedPhase::end_to_end, TimedPhase::plan,
                                     TimedPhase::map_build};
    const auto contender = algorithm_.prepare(problem_, data_.voxels(), false);
    std::shared_ptr<const Expectation> timed;
    take_verify_time([&] { timed = drawn_for_timing(problem_, *contender); });
    contender->write(timed->operands);
    // Another way to make the same maps shows in no kernel, and none is timed.
    const bool maps_alone = !algorithm_.map_variant().empty();
    engines::PhaseTimes times = contender->time(
        maps_alone ? std::span(kTimed).last(2) : std::span(kTimed), options_.timing);
    times_ = std::move(times.phases);
    if (maps_alone) return;
    // verify_again() runs on other data.
    const uint64_t timed_hash = times_steps() ? contender->output_hash() : 0;
    take_verify_time(
        [&] { verify_again(*contender, *timed, problem_, data_, options_, report_, verdict_); });
    blame(times.fault);
    verdict_.judged_runs += times.equal_runs;
    if (times_steps() && !verdict_.failed()) time_steps(*contender, timed_hash);
    for (const engines::PhaseTime& time : times_)
      if (!time.warning.empty()) report_(warning(time.warning));
    if (verdict_.failed() && !options_.time_anyway) times_.clear();
  }

  std::shared_ptr<const Expectation> drawn_for_timing(const Problem& problem,
                                                      const engines::Contender& contender) {
    // Outputs behind an activation or a scale are judged on a sample, others by checksums of the
    // operands.
    const bool integer = info(problem.dtype).is_integer();
    const bool judged_on_sample = (integer || problem.epilogue.activation != Activation::none) &&
                                  (options_.verify_exact || options_.verify_fp);
    return data_.expectation({.problem = problem,
                              .fill = timed_fill(problem),
                              .exact = integer,
                              .sampled = judged_on_sample,
                              .sample_macs = options_.verify_macs,
                              .drawn_only = !judged_on_sample,
                              .drawn_apart = has_device_judge(options_.references),
                              .flushes = contender.description().arithmetic.flushes_subnormals,
                              .seed = options_.seed ^ kTimingSeed});
  }

  /// What timing noticed, where verification did not; empty: nothing.
  void blame(const std::string& fault) {
    if (fault.empty() || verdict_.failed()) return;
    if (verdict_.status == VerifyStatus::not_run) return report_(warning(fault));
    verdict_.status = verdict_.checksum_status = VerifyStatus::fail;
    verdict_.detail = fault;
  }

  /// The phase step stands with fprop.
  bool times_steps() const {
    return problem_.direction == Direction::fprop && !options_.step_layers.empty();
  }
  /// `timed_hash`: of the outputs that were timed, which a step's forward run must repeat.
  void time_steps(engines::Contender& contender, uint64_t timed_hash) {
    const auto draw = [&](const Problem& problem) {
      const auto drawn = drawn_for_timing(problem, contender);
      return std::shared_ptr<const HostOperands>(drawn, &drawn->operands);
    };
    try {
      engines::StepTimes steps = contender.time_steps(options_.step_layers, draw, options_.timing);
      if (!steps.unsupported.empty()) return report_(warning("no step: " + steps.unsupported));
      std::ranges::move(steps.phases, std::back_inserter(times_));
      blame(steps.fault);
      if (contender.description().arithmetic.deterministic && steps.forward_hash != timed_hash)
        blame("a step's outputs differ from those of the plan that was timed");
    } catch (const gpu::OutOfMemory& error) {
      if (data_.drop_device_judge()) return time_steps(contender, timed_hash);
      report_(warning(std::string("no step: ") + error.what()));
    }
  }

  void account_memory(Record& record) {
    const engines::MemoryUse use = algorithm_.memory(problem_, data_.voxels(), size_);
    add_memory(record, use);
    if (use.run_alloc_count != 0)
      report_(warning(fmt::format("run() allocates {} times: it may not", use.run_alloc_count)));
  }

  std::string warning(const std::string& text) const {
    return fmt::format("warning: {}: {}", algorithm_.name(), text);
  }

  CaseRows rows(const Record& record) {
    if (times_.empty()) return {{record}, {{}}};
    const MapSizes map{size_.n_in, size_.n_out, n_pairs_};
    const double dense_us = options_.peaks ? dense_gemm_us(problem_, map, data_) : 0;
    double pass_us = 0;
    bench::DenseConvTime dense;
    if (std::ranges::find(times_, Phase::kernel, &engines::PhaseTime::phase) != times_.end()) {
      pass_us = epilogue_pass_us(problem_, map, data_);
      dense = dense_conv_time(problem_, data_, options_.dense, gpu::dense_conv_library(), report_);
    }
    CaseRows result;
    for (engines::PhaseTime& time : times_) {
      Record& row = result.rows.emplace_back(record);
      add_time(row, time, problem_, map.n_in, map.n_out, map.n_pairs);
      if (options_.peaks) add_limits(row, *options_.peaks, problem_, map, dense_us);
      add_dense_conv(row, time.phase, dense);
      if (pass_us > 0 && time.phase == Phase::kernel) row[columns::epilogue_pass_us] = pass_us;
      result.samples.push_back(std::move(time.sampling.samples));
    }
    return result;
  }

  const engines::Implementation& algorithm_;
  const Problem& problem_;
  CaseData& data_;
  const RunOptions& options_;
  const Report& report_;
  MapSize size_;
  int64_t n_pairs_ = 0;
  Verdict verdict_;
  double verify_s_ = 0;
  std::vector<engines::PhaseTime> times_;
};

/// `beside_judge`: what the judge of other algorithms keeps may have been in the way.
CaseRows try_case(const engines::Implementation& algorithm, const Problem& problem, CaseData& data,
                  const RunOptions& options, const Report& report, bool beside_judge) {
  Record record = describe(algorithm, problem, options.seed);
  add_data(record, data);
  try {
    if (const auto reason = algorithm.unsupported(problem)) {
      record[columns::verify_status] = VerifyStatus::unsupported;
      return ended(record, Status::unsupported, *reason);
    }
    if (info(problem.dtype).is_integer() && options.verify_fp && !options.verify_exact) {
      record[columns::verify_status] = VerifyStatus::unsupported;
      return ended(record, Status::unsupported,
                   fmt::format("{} is verified bit by bit: --verify-modes needs exact",
                               info(problem.dtype).name));
    }
    return CaseRun(algorithm, problem, data, options, report).run(record);
  } catch (const gpu::OutOfMemory& error) {
    if (beside_judge && data.drop_device_judge()) {
      data.keep_device_judge(false);
      CaseRows rows = try_case(algorithm, problem, data, options, report, false);
      data.keep_device_judge(true);
      return rows;
    }
    record[columns::oom_request_bytes] = error.bytes();
    return ended(record, Status::oom, error.what());
  } catch (const std::bad_alloc&) {
    return ended(record, Status::oom, "the host's memory is exhausted");
  } catch (const std::exception& error) {
    return ended(record, Status::error, error.what());
  }
}

}  // namespace

CaseRows run_case(const engines::Implementation& algorithm, const Problem& problem, CaseData& data,
                  const RunOptions& options,
                  const std::function<void(const std::string&)>& report) {
  data.drop_other_judge(problem);
  return try_case(algorithm, problem, data, options, report, true);
}

}  // namespace spb::run
