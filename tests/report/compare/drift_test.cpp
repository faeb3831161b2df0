// SPDX-License-Identifier: Apache-2.0
// False alarms of whole comparisons where processes drift, on simulated times.
#include <algorithm>
#include <cmath>
#include <random>
#include <utility>
#include <vector>

#include "report/compare/gate.h"
#include "report/records/merge_runs.h"
#include "report/simulated.h"

namespace spb::report {
namespace {

/// How one process measures: 1 % of noise in all.
struct Process {
  Shape shape;
  Noise noise;
};
constexpr Process kOneRound{{.rows = 40, .rounds = 1, .samples = 30}, {0.01, 0, 0}};
constexpr Process kThreeRounds{{.rows = 40, .rounds = 3, .samples = 10}, {0.0095, 0.0025, 0.002}};
constexpr double kDrifts[] = {0, 0.01, 0.02};
const Gate kGateOfAnyRow{{"slower"}};

/// What a comparison is simulated with.
struct Setting {
  double drift;
  int processes = 1;  ///< of each side; from two on they have three rounds, and drift is measured
  double threshold = 0;
  double slowdown = 1;  ///< of one row of NEW
  bool is_stated = false;
};

Side simulate(const Setting& setting, double slowdown, std::mt19937_64& random) {
  std::normal_distribution<double> normal;
  const auto& [shape, noise] = setting.processes == 1 ? kOneRound : kThreeRounds;
  std::vector<Side> runs;
  for (int process = 0; process < setting.processes; ++process) {
    const double drift = std::exp(setting.drift * normal(random));
    Side& run = runs.emplace_back(simulated_run(noise, shape, drift, random));
    Record& slow = run.records.rows.front();
    slow[columns::time_median_us] = *slow.number(columns::time_median_us) * slowdown;
    for (auto& round : run.samples[sample_key(slow)])
      for (double& time : round) time *= slowdown;
  }
  return setting.processes == 1 ? std::move(runs.front()) : merge_runs(std::move(runs));
}

/// The share of simulated comparisons that `counts`.
template <typename Counts>
double share(const Setting& setting, int comparisons, const Counts& counts) {
  CompareOptions options;
  options.bootstrap.resamples = 200;
  options.threshold = setting.threshold;
  options.floor_us = 0;  // which would forgive 2 % of these times
  if (setting.is_stated) options.process_drift = setting.drift;
  int count = 0;
  for (int i = 0; i < comparisons; ++i) {
    std::mt19937_64 random(static_cast<uint64_t>(i));
    const Side base = simulate(setting, 1, random);
    const Side next = simulate(setting, setting.slowdown, random);
    count += counts(compare(base, next, options));
  }
  return static_cast<double>(count) / comparisons;
}

bool fails(const Comparison& comparison) {
  return exit_code(comparison, kGateOfAnyRow) == ExitCode::gate;
}

/// As the gate would without knowing of drift and of the number of rows.
bool fails_by_a_row_alone(const Comparison& comparison) {
  return std::ranges::any_of(comparison.devices.front().rows, [](const ComparedRow& row) {
    return row.interval && row.interval->lo > 1;
  });
}

bool finds_the_slow_row(const Comparison& comparison) {
  return comparison.devices.front().rows.front().change == Change::slower;
}

constexpr int kComparisons = 100;

TEST(CompareDrift, StatedLeavesFewFalseAlarms) {
  for (const double drift : kDrifts)
    EXPECT_LT(share({.drift = drift, .is_stated = true}, kComparisons, fails), 0.05) << drift;
}

TEST(CompareDrift, MeasuredByTwoProcessesASideLeavesFewFalseAlarms) {
  for (const double drift : kDrifts)
    EXPECT_LT(share({.drift = drift, .processes = 2}, kComparisons, fails), 0.05) << drift;
}

TEST(CompareDrift, WithoutEitherCorrectionMostComparisonsAlarm) {
  for (const double drift : kDrifts)
    EXPECT_GT(share({.drift = drift}, 40, fails_by_a_row_alone), 0.3) << drift;
  // Allowing for the number of rows does not help against drift, not even beyond the threshold.
  EXPECT_GT(share({.drift = 0.02, .threshold = 0.03}, 40, fails), 0.05);
}

TEST(CompareDrift, OneRowThatIsTenPercentSlowerIsFound) {
  const Setting settings[] = {
      {.drift = 0, .threshold = 0.03, .slowdown = 1.1},
      {.drift = 0.01, .threshold = 0.03, .slowdown = 1.1, .is_stated = true},
      {.drift = 0.01, .processes = 3, .threshold = 0.03, .slowdown = 1.1},
      {.drift = 0.02, .processes = 5, .threshold = 0.03, .slowdown = 1.1},
  };
  for (const Setting& setting : settings)
    EXPECT_GT(share(setting, 25, finds_the_slow_row), 0.8)
        << setting.drift << ", " << setting.processes;
}

}  // namespace
}  // namespace spb::report
