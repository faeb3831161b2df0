// SPDX-License-Identifier: Apache-2.0
// The visits of cases in rounds, with a runner that makes up their outcomes.
#include <gtest/gtest.h>

#include "suite/case_rounds.h"

namespace spb::suite {
namespace {

CaseOutcome timed(double time_us, int round, bool throttled = false) {
  Record row;
  row.named("status") = throttled ? "throttled" : "ok";
  row[columns::time_median_us] = time_us;
  row[columns::throughput_gflops] = 1000 / time_us;
  row[columns::timer_floor_us] = 1.0 + round;
  row[columns::near_floor] = true;
  row[columns::sm_clock_mhz] = 1000.0 + round;
  row[columns::verify_s] = round == 0 ? 8.0 : 0.5;
  std::vector<bench::Sample> samples(12);
  for (bench::Sample& sample : samples) {
    sample.time_us = time_us;
    sample.sm_clock_mhz = 1000;
    sample.round = round;
    sample.throttled = throttled;
    if (round > 0)
      sample.reasons = {throttled ? gpu::ThrottleReason::sw_thermal
                                  : gpu::ThrottleReason::sw_power_cap};
  }
  return {{row}, {samples}};
}

CaseOutcome failed() {
  Record row;
  row[columns::status] = Status::error;
  return {{row}};
}

class ScriptedRunner final : public CaseRunner {
 public:
  explicit ScriptedRunner(std::function<CaseOutcome(size_t, int)> outcome)
      : outcome_(std::move(outcome)) {}
  CaseOutcome run(size_t index, int round) override {
    visits += std::to_string(index) + ":" + std::to_string(round) + " ";
    return outcome_(index, round);
  }
  std::string visits;

 private:
  std::function<CaseOutcome(size_t, int)> outcome_;
};

Next always(size_t) { return Next::run; }
const std::vector<size_t> kTwo{3, 4};

TEST(Rounds, ConditionsAreThoseOfAllRounds) {
  const CaseOutcome merged = merge_rounds({timed(100, 0), timed(102, 1), timed(104, 2)});
  const Record& row = merged.rows.front();
  EXPECT_EQ(row.value(columns::rounds), spb::Value(int64_t{3}));
  EXPECT_EQ(row.value(columns::samples), spb::Value(int64_t{36}));
  EXPECT_EQ(row.value(columns::time_median_us), spb::Value(102.0));
  EXPECT_EQ(row.value(columns::sm_clock_mhz), spb::Value(1001.0));
  EXPECT_EQ(row.text(columns::throttle_reasons), "sw_power_cap");
  EXPECT_EQ(row.value(columns::near_floor), spb::Value(false)) << "a floor of 2 us, and 102 us";
  EXPECT_NEAR(*row.number(columns::throughput_gflops), 1000.0 / 102, 1e-9);
}

TEST(Rounds, AThrottledRoundGivesWayToOneThatWasNot) {
  const CaseOutcome merged = merge_rounds({timed(150, 0, true), timed(100, 1)});
  EXPECT_EQ(merged.rows.front().text(columns::status), "ok");
  EXPECT_EQ(merged.rows.front().value(columns::time_median_us), spb::Value(100.0));
  EXPECT_EQ(merged.rows.front().value(columns::rounds), spb::Value(int64_t{1}));
  EXPECT_EQ(merged.rows.front().value(columns::verify_s), spb::Value(8.5)) << "of that round, too";
  EXPECT_EQ(
      merge_rounds({timed(150, 0, true), timed(160, 1, true)}).rows.front().text(columns::status),
      "throttled");
}

TEST(Rounds, ARoundThatGaveWayLeavesNoConditions) {
  CaseOutcome dropped = timed(150, 4, true), kept = timed(100, 1);
  dropped.rows.front()[columns::cold_suspect] = true;
  kept.rows.front()[columns::cold_suspect] = false;
  const CaseOutcome merged = merge_rounds({dropped, kept});
  const Record& row = merged.rows.front();
  EXPECT_EQ(row.text(columns::throttle_reasons), "sw_power_cap") << "of the round that was kept";
  EXPECT_EQ(row.value(columns::sm_clock_mhz), spb::Value(1001.0));
  EXPECT_EQ(row.value(columns::cold_suspect), spb::Value(false));
}

// As where a round has no memory for it.
TEST(Rounds, APhaseThatARoundLacksIsThatOfTheOthers) {
  const auto phase = [](CaseOutcome outcome, Phase name, int layers) {
    outcome.rows.front()[columns::phase] = name;
    if (layers > 0) outcome.rows.front()[columns::layers] = layers;
    return outcome;
  };
  const auto with_steps = [&](CaseOutcome outcome, double step_us, int round) {
    for (const int layers : {1, 4}) {
      CaseOutcome step = phase(timed(step_us * layers, round), Phase::step, layers);
      outcome.rows.push_back(step.rows.front());
      outcome.samples.push_back(step.samples.front());
    }
    return outcome;
  };
  CaseOutcome first = with_steps(phase(timed(100, 0), Phase::kernel, 0), 1000, 0),
              second = phase(timed(102, 1), Phase::kernel, 0),
              third = with_steps(phase(timed(104, 2), Phase::kernel, 0), 1010, 2);
  first.rows.front()[columns::peak_total_bytes] = int64_t{77};
  const CaseOutcome merged = merge_rounds({first, second, third});
  ASSERT_EQ(merged.rows.size(), 3u);
  EXPECT_EQ(merged.rows[0].value(columns::peak_total_bytes), spb::Value(int64_t{77}));
  const int rounds[] = {3, 2, 2};
  const double median_us[] = {102, 1005, 4020};
  for (size_t i = 0; i < 3; ++i) {
    EXPECT_EQ(merged.rows[i].value(columns::rounds), spb::Value(int64_t{rounds[i]})) << i;
    EXPECT_EQ(merged.rows[i].value(columns::time_median_us), spb::Value(median_us[i])) << i;
  }
}

TEST(Rounds, SuspectsAreMeasuredAgain) {
  ScriptedRunner runner(
      [](size_t index, int round) { return timed(100, round, index == 4 && round == 0); });
  const auto outcomes = run_rounds(runner, kTwo, {1, 0, 2}, {always});
  EXPECT_EQ(runner.visits, "3:0 4:0 4:1 ");
  EXPECT_EQ(outcomes.at(1).rows.front().text(columns::status), "ok");
}

TEST(Rounds, AClockThatFellAndAWideIntervalAreSuspect) {
  CaseOutcome outcome = timed(100, 0);
  EXPECT_FALSE(is_suspect(outcome));
  for (size_t i = 8; i < 12; ++i) outcome.samples.front()[i].sm_clock_mhz = 900;
  EXPECT_TRUE(is_suspect(outcome));
  outcome = timed(100, 0);
  outcome.rows.front()[columns::time_ci95_lo_us] = 97.0;
  outcome.rows.front()[columns::time_ci95_hi_us] = 100.9;
  EXPECT_FALSE(is_suspect(outcome));
  outcome.rows.front()[columns::time_ci95_hi_us] = 101.1;
  EXPECT_TRUE(is_suspect(outcome));
  EXPECT_FALSE(is_suspect(failed()));
}

TEST(Rounds, AFailureEndsTheRoundsOfItsCaseOnly) {
  ScriptedRunner runner(
      [](size_t index, int round) { return index == 3 ? failed() : timed(100, round); });
  const auto outcomes = run_rounds(runner, kTwo, {3, 0, 0}, {always});
  EXPECT_EQ(outcomes.at(0).rows.front().text(columns::status), "error");
  EXPECT_EQ(outcomes.at(1).rows.front().value(columns::rounds), spb::Value(int64_t{3}));
}

TEST(Rounds, AStopKeepsTheRoundsThatWereMade) {
  ScriptedRunner runner([](size_t, int round) { return timed(100, round); });
  int visits = 0;
  const auto stop_at = [&](int most) {
    visits = 0;
    return [&visits, most](size_t) { return visits++ < most ? Next::run : Next::stop; };
  };
  auto outcomes = run_rounds(runner, kTwo, {3, 0, 0}, {stop_at(5)});
  EXPECT_EQ(std::get<int64_t>(outcomes.at(0).rows.front().value(columns::rounds)) +
                std::get<int64_t>(outcomes.at(1).rows.front().value(columns::rounds)),
            5);
  outcomes = run_rounds(runner, kTwo, {3, 0, 0}, {stop_at(1)});
  EXPECT_EQ(outcomes.at(0).rows.size() + outcomes.at(1).rows.size(), 1u);
  const auto discarded =
      run_rounds(runner, kTwo, {3, 0, 0}, {[](size_t) { return Next::discard; }});
  EXPECT_TRUE(discarded.empty());
}

}  // namespace
}  // namespace spb::suite
