// SPDX-License-Identifier: Apache-2.0
#include "tuning/tune.h"

#include <algorithm>
#include <exception>
#include <functional>
#include <new>
#include <vector>

#include "bench/host_wall.h"
#include "core/error.h"
#include "core/statistics.h"
#include "engines/native/native.h"
#include "gpu/device_info.h"
#include "tuning/timing.h"

namespace spb::tuning {
namespace {

constexpr int kFinalRounds = 3;
constexpr double kNear = 1.1;         // of the fastest: worth a second look
constexpr double kWorthwhile = 1.01;  // what another choice than the plan's own has to gain

class Tuning {
 public:
  Tuning(const Algorithm& algorithm, const Problem& problem, run::CaseData& data,
         const TuneOptions& options, const run::Report& report)
      : algorithm_(algorithm), problem_(problem), data_(data), options_(options), report_(report) {}

  Entry run() {
    const double begin_us = bench::host_wall_us();
    const MapSet& map = data_.reference_map(problem_.geometry);
    const SizedProblem sized{problem_, input_rows(map, data_.voxels()),
                             static_cast<int64_t>(map.out_coords.size()),
                             static_cast<int64_t>(map.triples.size())};
    entry_.problem_class = class_of(algorithm_, sized);
    entry_.problem = to_text(problem_);
    entry_.n_out = sized.n_out;
    entry_.n_pairs = sized.n_pairs;
    entry_.mode = options_.evidence                    ? "trimmed"
                  : options_.range == ChoiceRange::all ? "all"
                                                       : "auto";
    entry_.runs = options_.runs;

    try_choice({});
    if (algorithm_.choices)
      for (const Choice& choice : algorithm_.choices(sized, options_.range))
        if (!options_.evidence || has_come_near(choice)) try_choice(choice);
    const std::vector<Trial*> finalists = check_fastest();
    time_again(finalists);
    choose(finalists);
    entry_.tune_ms = (bench::host_wall_us() - begin_us) / 1e3;
    return std::move(entry_);
  }

 private:
  Algorithm with(const Choice& choice) const {
    Algorithm chosen = algorithm_;
    chosen.choice = choice;
    return chosen;
  }

  /// Does `work` for a trial; what it throws becomes the trial's status.
  void guarded(Trial& trial, const std::function<void()>& work, bool beside_judge = true) {
    try {
      return work();
    } catch (const gpu::OutOfMemory& error) {
      if (beside_judge && data_.drop_device_judge()) return guarded(trial, work, false);
      trial.status = TrialStatus::oom;
      trial.detail = error.what();
    } catch (const std::bad_alloc&) {
      trial.status = TrialStatus::oom;
      trial.detail = "the host's memory is exhausted";
    } catch (const std::exception& error) {
      if (gpu::context_is_lost()) throw;
      trial.status = TrialStatus::error;
      trial.detail = error.what();
    }
  }

  void try_choice(const Choice& choice) {
    Trial trial;
    trial.choice = choice;
    trial.status = TrialStatus::slower;
    const Algorithm chosen = with(choice);
    if (const auto reason = chosen.unsupported(problem_)) {
      trial.status = TrialStatus::unsupported;
      trial.detail = *reason;
    } else {
      guarded(trial, [&] {
        Timed timed = time_candidate(
            engines::Native(chosen), problem_, data_, options_.checks.seed, options_.runs > 0,
            [this](const PlanDescription& description) { return is_new(description); });
        trial.kernel = timed.description.kernel;
        trial.params = timed.description.params_json;
        trial.plan_us = timed.plan_us;
        take(trial, std::move(timed.samples_us));
      });
      // Another choice has come to the same plan.
      if (trial.status == TrialStatus::slower && trial.samples_us.empty()) return;
    }
    entry_.trials.push_back(std::move(trial));
  }

  /// Whether the choice has won, or was right and within kNear of what won, anywhere among the
  /// algorithm's entries.
  bool has_come_near(const Choice& choice) const {
    return std::ranges::any_of(*options_.evidence, [&](const Entry& entry) {
      const Trial* best = entry.winning();
      if (!best || entry.problem_class.algorithm != algorithm_.name) return false;
      return std::ranges::any_of(entry.trials, [&](const Trial& trial) {
        return trial.status == TrialStatus::ok && trial.choice.values == choice.values &&
               trial.cost_us(entry.runs) <= kNear * best->cost_us(entry.runs);
      });
    });
  }

  bool is_new(const PlanDescription& plan) const {
    return std::ranges::none_of(entry_.trials, [&](const Trial& trial) {
      return trial.kernel == plan.kernel && trial.params == plan.params_json;
    });
  }

  double cost_us(const Trial& trial) const { return trial.cost_us(options_.runs); }

  static void take(Trial& trial, std::vector<double> samples_us) {
    trial.median_us = median(samples_us);
    trial.samples_us = std::move(samples_us);
  }

  void check(Trial& trial) {
    guarded(trial, [&] {
      const engines::Native chosen(with(trial.choice));
      const auto contender = chosen.prepare(problem_, data_.voxels(), true);
      const run::Verdict verdict =
          run::verify_case(*contender, chosen.name(), problem_, data_, options_.checks, report_);
      trial.detail = verdict.detail;
      trial.status = verdict.status == VerifyStatus::pass ? TrialStatus::ok
                     : verdict.failed()                   ? TrialStatus::incorrect
                                                          : TrialStatus::mistrusted;
    });
  }

  /// Right ones within kNear of the fastest right one, and the own choice if it is right: the
  /// winner's gain is over it.
  std::vector<Trial*> check_fastest() {
    std::vector<Trial*> timed;
    for (Trial& trial : entry_.trials)
      if (trial.median_us > 0) timed.push_back(&trial);
    std::ranges::stable_sort(timed, {}, [&](const Trial* trial) { return cost_us(*trial); });
    std::vector<Trial*> right;
    for (Trial* trial : timed) {
      if (!right.empty() && cost_us(*trial) > kNear * cost_us(*right.front())) break;
      check(*trial);
      if (trial->status == TrialStatus::ok) right.push_back(trial);
    }
    Trial& own = entry_.trials.front();
    if (own.median_us > 0 && own.status == TrialStatus::slower) {
      check(own);
      if (own.status == TrialStatus::ok) right.push_back(&own);
    }
    return right;
  }

  /// In turns, so that what drifts hits all alike. One alone has nobody to be compared with.
  void time_again(const std::vector<Trial*>& finalists) {
    if (finalists.size() < 2) return;
    std::vector<std::vector<double>> samples(finalists.size());
    for (int round = 0; round < kFinalRounds; ++round)
      for (size_t i = 0; i < finalists.size(); ++i)
        guarded(*finalists[i], [&] {
          const Timed timed = time_candidate(engines::Native(with(finalists[i]->choice)), problem_,
                                             data_, options_.checks.seed, false);
          samples[i].insert(samples[i].end(), timed.samples_us.begin(), timed.samples_us.end());
        });
    for (size_t i = 0; i < finalists.size(); ++i)
      if (finalists[i]->status == TrialStatus::ok) take(*finalists[i], std::move(samples[i]));
  }

  void choose(const std::vector<Trial*>& finalists) {
    const Trial* best = nullptr;
    for (const Trial* trial : finalists)
      if (trial->status == TrialStatus::ok && (!best || cost_us(*trial) < cost_us(*best)))
        best = trial;
    if (!best) return;
    const Trial& own = entry_.trials.front();
    if (own.status == TrialStatus::ok && cost_us(own) <= kWorthwhile * cost_us(*best)) best = &own;
    entry_.winner = static_cast<int>(best - entry_.trials.data());
  }

  const Algorithm& algorithm_;
  const Problem& problem_;
  run::CaseData& data_;
  const TuneOptions& options_;
  const run::Report& report_;
  Entry entry_;
};

}  // namespace

Entry tune(const Algorithm& algorithm, const Problem& problem, run::CaseData& data,
           const TuneOptions& options, const run::Report& report) {
  if (!options.checks.verify_exact && !options.checks.verify_fp)
    throw usage_error("tune", "needs a mode of verification", "use exact, fp or both");
  return Tuning(algorithm, problem, data, options, report).run();
}

}  // namespace spb::tuning
