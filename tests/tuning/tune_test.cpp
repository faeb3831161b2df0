// SPDX-License-Identifier: Apache-2.0
// Whatever is fast, only what is right wins.
#include "tuning/tune.h"

#include <chrono>
#include <gtest/gtest.h>
#include <map>
#include <string>
#include <thread>

#include "algorithms/named.h"
#include "core/error.h"
#include "data/generate.h"

namespace spb::tuning {
namespace {

/// What plans do whose choice has this split.
enum Behavior {
  right = 1,
  writes_nothing,
  throws_while_planning,
  takes_no_memory,
  slow,
  unsupported,
  throws_while_running,
  as_right,
  plans_slowly,
  middling,
  as_middling
};
Behavior own_choice = right;

Choice of(Behavior behavior) { return {{{"split", std::to_string(behavior)}}}; }
Behavior behavior_of(const Choice& choice) {
  return static_cast<Behavior>(choice.number("split").value_or(own_choice));
}

class OddPlan final : public Plan {
 public:
  OddPlan(std::unique_ptr<Plan> plan, Behavior behavior)
      : plan_(std::move(plan)), behavior_(behavior), description_(plan_->description()) {
    // The behavior takes part: plans of equal descriptions are timed once.
    description_.params_json = std::to_string(behavior == as_right ? right : behavior);
  }
  void run(const Operands& operands, const gpu::Stream& stream) override {
    if (behavior_ == throws_while_running) throw std::runtime_error("the kernel fell over");
    const auto begin = std::chrono::steady_clock::now();
    if (behavior_ != writes_nothing) plan_->run(operands, stream);
    // From the beginning on: what the run itself takes, more on a busy machine, does not count.
    if (behavior_ == slow) std::this_thread::sleep_until(begin + std::chrono::milliseconds(60));
    if (behavior_ >= middling) std::this_thread::sleep_until(begin + std::chrono::milliseconds(25));
  }
  const PlanDescription& description() const override { return description_; }
  MapSize size() const override { return plan_->size(); }
  MapSet map(const gpu::Stream& stream) const override { return plan_->map(stream); }

 private:
  std::unique_ptr<Plan> plan_;
  Behavior behavior_;
  PlanDescription description_;
};

const Algorithm& correct() { return algorithm_named("explicit_gemm"); }

maps::MapNeeds needs_of(const Case& of) { return correct().needs_of(of); }

std::unique_ptr<Plan> make_plan(const Case& of, const maps::Maps& maps,
                                maps::BuildContext context) {
  const Behavior behavior = behavior_of(of.choice);
  if (behavior == throws_while_planning) throw Error(ExitCode::runtime, "no plan today");
  if (behavior == plans_slowly) std::this_thread::sleep_for(std::chrono::milliseconds(60));
  if (behavior == takes_no_memory) throw gpu::OutOfMemory("no memory today", 1 << 20);
  return std::make_unique<OddPlan>(correct().plan_with(of, maps, context), behavior);
}

std::optional<std::string> why_unsupported(const Problem&, const Choice& choice) {
  if (behavior_of(choice) == unsupported) return "not with this";
  return std::nullopt;
}

std::vector<Choice> all_choices(const SizedProblem&, ChoiceRange range) {
  std::vector<Choice> choices;
  for (int behavior = right; behavior <= as_right; ++behavior)
    if (range == ChoiceRange::all || behavior <= slow)
      choices.push_back(of(static_cast<Behavior>(behavior)));
  return choices;
}

constexpr Knob kSplit{.name = "split",
                      .help = "what goes wrong",
                      .column = columns::algorithm_params,
                      .directions = kEveryDirection,
                      .most = as_middling};

const Algorithm kOdd{.name = "odd",
                     .summary = "some choices are wrong",
                     .version = 3,
                     .claim = kEverything,
                     .unsupported_with = why_unsupported,
                     .needs_of = needs_of,
                     .plan_with = make_plan,
                     .knobs = {&kSplit, 1},
                     .choices = all_choices};

class Tune : public testing::Test {
 protected:
  Entry tune(const Algorithm& algorithm, ChoiceRange range = ChoiceRange::all, int64_t runs = 0) {
    Problem problem;
    problem.c_in = 8;
    problem.c_out = 12;
    TuneOptions options{.range = range, .runs = runs, .checks = {}};
    return tuning::tune(algorithm, taken_by(algorithm, problem), data_, options,
                        [this](const std::string& line) { report_ += line + "\n"; });
  }
  static std::map<std::string, TrialStatus> statuses(const Entry& entry) {
    std::map<std::string, TrialStatus> statuses;
    for (const Trial& trial : entry.trials)
      statuses[trial.choice.find("split") ? *trial.choice.find("split") : "own"] = trial.status;
    return statuses;
  }

  run::CaseData data_{"sphere:10", data::generate("sphere:10")};
  std::string report_;
};

TEST_F(Tune, NeverLetsAWrongCandidateWin) {
  own_choice = right;
  const Entry entry = tune(kOdd);
  EXPECT_EQ(statuses(entry), (std::map<std::string, TrialStatus>{{"own", TrialStatus::ok},
                                                                 {"2", TrialStatus::incorrect},
                                                                 {"3", TrialStatus::error},
                                                                 {"4", TrialStatus::oom},
                                                                 {"5", TrialStatus::slower},
                                                                 {"6", TrialStatus::unsupported},
                                                                 {"7", TrialStatus::error}}));
  EXPECT_EQ(entry.winner, 0);
  const Trial& wrong = entry.trials[1];
  EXPECT_LT(wrong.median_us, entry.trials[0].median_us) << "the wrong one was the fastest";
  EXPECT_NE(wrong.detail.find("elements wrong"), std::string::npos);
  EXPECT_NE(report_.find("expected"), std::string::npos) << "its fault is reported";
  EXPECT_GE(entry.trials[0].samples_us.size(), 7u);
  EXPECT_GT(entry.tune_ms, 180)
      << "the slow one alone takes three runs of 60 ms, its time being up";
  EXPECT_EQ(entry.problem_class.algorithm, "odd");
  EXPECT_EQ(entry.problem_class.algorithm_version, 3);
}

TEST_F(Tune, FindsARightOneWhereTheOwnChoiceIsWrong) {
  own_choice = writes_nothing;
  const Entry entry = tune(kOdd, ChoiceRange::likely);
  ASSERT_NE(entry.winning(), nullptr);
  EXPECT_EQ(entry.winning()->choice, of(right));
  EXPECT_EQ(entry.trials[0].status, TrialStatus::incorrect);
  EXPECT_EQ(entry.mode, "auto");
}

TEST_F(Tune, TimesFinalistsAgain) {
  own_choice = slow;
  Algorithm several = kOdd;
  several.choices = [](const SizedProblem&, ChoiceRange) {
    return std::vector<Choice>{of(middling), of(slow), of(as_middling)};
  };
  const Entry entry = tune(several);
  ASSERT_EQ(entry.trials.size(), 3u) << "equal plans are timed once";
  for (const Trial& trial : entry.trials) {
    EXPECT_GE(trial.samples_us.size(), 9u) << "the own choice, too, although it is slower";
    EXPECT_EQ(trial.status, TrialStatus::ok);
  }
  EXPECT_GE(entry.winner, 1);
  EXPECT_GT(entry.gain(), 2);
}

TEST_F(Tune, TrimmedTriesWhatHasComeNearToWinning) {
  own_choice = slow;
  Algorithm several = kOdd;
  several.choices = [](const SizedProblem&, ChoiceRange) {
    return std::vector<Choice>{of(right), of(middling), of(writes_nothing)};
  };
  const std::vector<Entry> evidence{tune(several)};
  ASSERT_EQ(evidence[0].trials.size(), 4u);
  const auto tried = [&](const std::vector<Entry>& entries) {
    TuneOptions options{.range = ChoiceRange::all, .evidence = &entries, .checks = {}};
    Problem problem;
    problem.c_in = 8;
    problem.c_out = 12;
    const Entry entry = tuning::tune(several, problem, data_, options, [](const std::string&) {});
    EXPECT_EQ(entry.mode, "trimmed");
    return statuses(entry);
  };
  // The right one won by far; the others were too slow or wrong.
  EXPECT_EQ(tried(evidence),
            (std::map<std::string, TrialStatus>{{"own", TrialStatus::ok}, {"1", TrialStatus::ok}}));
  std::vector<Entry> of_another = evidence;
  of_another[0].problem_class.algorithm = "even";
  EXPECT_EQ(tried(of_another), (std::map<std::string, TrialStatus>{{"own", TrialStatus::ok}}));
}

TEST_F(Tune, CountsPlansWhereRunsAreCounted) {
  own_choice = middling;  // 15 ms a run
  Algorithm patient = kOdd;
  patient.choices = [](const SizedProblem&, ChoiceRange) {
    return std::vector<Choice>{of(plans_slowly)};  // 60 ms a plan
  };
  for (const int64_t runs : {0, 1, 1000}) {
    const Entry entry = tune(patient, ChoiceRange::likely, runs);
    ASSERT_EQ(entry.trials.size(), 2u);
    EXPECT_EQ(entry.runs, runs);
    EXPECT_EQ(entry.winner, runs == 1 ? 0 : 1) << runs;
    for (const Trial& trial : entry.trials) EXPECT_EQ(trial.plan_us > 0, runs > 0);
    if (runs == 0) continue;
    EXPECT_GE(entry.trials[1].plan_us, 60e3);
    EXPECT_NEAR(entry.gain(), entry.trials[0].cost_us(runs) / entry.winning()->cost_us(runs), 1e-9);
  }
}

TEST_F(Tune, NamesNoWinnerWhenAllAreWrong) {
  own_choice = writes_nothing;
  Algorithm hopeless = kOdd;
  hopeless.choices = nullptr;
  const Entry entry = tune(hopeless);
  EXPECT_EQ(entry.trials.size(), 1u);
  EXPECT_EQ(entry.winner, -1);
  EXPECT_FALSE(entry.choice());
}

TEST_F(Tune, TakesTheOwnChoiceWhereThereIsNoOther) {
  for (const Algorithm& algorithm : algorithms()) {
    if (algorithm.choices) continue;
    const Entry entry = tune(algorithm);
    EXPECT_EQ(entry.trials.size(), 1u);
    EXPECT_EQ(entry.winner, 0) << algorithm.name;
  }
}

TEST_F(Tune, FindsWinnersOfTheRealAlgorithms) {
  for (const Algorithm& algorithm : algorithms()) {
    const Entry entry = tune(algorithm, ChoiceRange::likely);
    ASSERT_NE(entry.winning(), nullptr) << algorithm.name;
    EXPECT_EQ(entry.trials.size() > 1, algorithm.choices != nullptr) << algorithm.name;
  }
}

TEST_F(Tune, ChecksOrRefuses) {
  TuneOptions options;
  options.checks.verify_exact = options.checks.verify_fp = false;
  EXPECT_THROW(tuning::tune(kOdd, {}, data_, options, [](const std::string&) {}), Error);
}

}  // namespace
}  // namespace spb::tuning
