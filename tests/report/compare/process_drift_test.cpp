// SPDX-License-Identifier: Apache-2.0
#include "report/compare/process_drift.h"

#include <cmath>
#include <string>
#include <utility>
#include <vector>

#include "report/compare/drift_text.h"
#include "report/compare/means.h"
#include "report/compared.h"
#include "report/has.h"

namespace spb::report {
namespace {

using Source = ProcessDrift::Source;

TEST(ProcessDrift, IsWhatMostRowsHaveInCommon) {
  const std::vector<ProcessTimes> processes{{{"a", 100}, {"b", 10}, {"c", 1}, {"only", 5}},
                                            {{"a", 104}, {"b", 10.4}, {"c", 9}}};
  const std::vector<double> drifts = common_drifts(processes);
  ASSERT_EQ(drifts.size(), 2u);
  EXPECT_NEAR(drifts[0], -std::log(1.04) / 2, 1e-12) << "c jumped, only one has the other";
  EXPECT_NEAR(drifts[1], std::log(1.04) / 2, 1e-12);
  EXPECT_TRUE(common_drifts({}).empty());
  EXPECT_TRUE(common_drifts(std::vector<ProcessTimes>{{{"a", 1}}, {{"b", 1}}}).empty());
}

TEST(ProcessDrift, IsMeasuredWhereASideHasSeveralProcesses) {
  const std::vector<ProcessTimes> one{{{"a", 100}}},
      three{{{"a", std::exp(0.01)}}, {{"a", std::exp(0.03)}}, {{"a", std::exp(0.02)}}};
  EXPECT_EQ(process_drift(one, one, {}).source, Source::unseen);
  EXPECT_EQ(process_drift(one, one, {}).reach(0.025, 1, 1), 0);
  const ProcessDrift measured = process_drift(one, three, {});
  EXPECT_EQ(measured.source, Source::measured);
  EXPECT_EQ(measured.base, 1u);
  EXPECT_EQ(measured.next, 3u);
  EXPECT_NEAR(measured.deviation, 0.01, 1e-12);
  EXPECT_EQ(measured.degrees_of_freedom, 2);
  EXPECT_NEAR(measured.reach(0.025, 1, 3), 0.01 * std::sqrt(4.0 / 3) * 4.302653, 1e-6);
  const ProcessDrift stated = process_drift(one, three, 0.02);
  EXPECT_EQ(stated.source, Source::stated);
  EXPECT_NEAR(stated.reach(0.025, 1, 1), 0.02 * std::sqrt(2) * 1.959964, 1e-6);
}

/// A run of a known build.
std::vector<Record> process_of(const std::string& id, double factor, const std::string& commit) {
  std::vector<Record> rows;
  for (const char* algorithm : {"a", "b", "c"}) {
    Record row = kernel_row(algorithm, 100 * factor);
    row[columns::run_id] = id;
    row[columns::git_sha] = commit;
    row[columns::git_dirty] = false;
    rows.push_back(std::move(row));
  }
  return rows;
}

Side runs_of(const std::vector<std::vector<Record>>& runs) {
  std::vector<Record> rows;
  for (const auto& run : runs) rows.insert(rows.end(), run.begin(), run.end());
  return side_of(std::move(rows));
}

ProcessDrift drift_of(const Side& base, const Side& next) {
  return compare(base, next, {}).devices.at(0).drift;
}

TEST(ProcessDrift, OfRunsSideBySideThoseOfTheLastOnesBuildCount) {
  const Side one = runs_of({process_of("1", 1, "c0ffee")});
  const Side two = runs_of({process_of("1", 1, "c0ffee"), process_of("2", 1.02, "c0ffee")});
  const ProcessDrift drift = drift_of(one, two);
  EXPECT_EQ(drift.source, Source::measured);
  EXPECT_EQ(drift.next, 2u);
  EXPECT_NEAR(drift.deviation, std::log(1.02) / std::sqrt(2), 1e-12);
  const Side other = runs_of({process_of("1", 1, "decaf"), process_of("2", 1.02, "c0ffee")});
  EXPECT_EQ(drift_of(one, other).source, Source::unseen) << "another commit is a change";
  const Side unknown = runs_of({process_of("1", 1, ""), process_of("2", 1.02, "")});
  EXPECT_EQ(drift_of(one, unknown).source, Source::unseen);
  auto changed = process_of("1", 1, "c0ffee");
  for (Record& row : changed) row[columns::git_dirty] = true;
  EXPECT_EQ(drift_of(one, runs_of({changed, process_of("2", 1.02, "c0ffee")})).source,
            Source::unseen);
  auto locked = process_of("1", 1, "c0ffee"), free = process_of("2", 1.02, "c0ffee");
  for (Record& row : locked) row[columns::clock_policy] = "locked:1500";
  for (Record& row : free) row[columns::clock_policy] = "free";
  EXPECT_EQ(drift_of(one, runs_of({locked, free})).source, Source::unseen);
}

TEST(ProcessDrift, ShardsThatShareNoRowAreOneProcess) {
  auto first = process_of("1", 1, "c0ffee"), second = process_of("2", 1.02, "c0ffee");
  first.resize(1);
  second.erase(second.begin());
  const Side shards = runs_of({first, second});
  EXPECT_EQ(drift_of(shards, shards).source, Source::unseen);
}

TEST(ProcessDrift, WidensRowsAndTheirMeanAlike) {
  const Side base = runs_of({process_of("1", 1, "c0ffee")}),
             next = runs_of({process_of("2", 1, "decaf")});
  CompareOptions options;
  const Comparison narrow = compare(base, next, options);
  options.process_drift = 0.01;
  const Comparison wide = compare(base, next, options);
  const Interval row = *wide.devices[0].rows[0].interval;
  const double within = std::log(narrow.devices[0].rows[0].interval->hi);
  EXPECT_NEAR(std::log(row.hi), std::hypot(within, 0.01 * std::sqrt(2) * 1.959964), 1e-6);
  EXPECT_NEAR(std::log(row.lo), -std::log(row.hi), 1e-12);
  // A mean of rows that do not share it would be narrower.
  for (const GeometricMean& mean : geometric_means(wide.devices[0]))
    EXPECT_NEAR(mean.interval->hi, row.hi, 1e-12);
}

TEST(ProcessDrift, WhatIsSlowerAloneMayNotBeAmongMany) {
  std::vector<Record> before, after;
  for (int i = 0; i < 40; ++i) {
    before.push_back(kernel_row("a", 100, "sphere:" + std::to_string(i)));
    after.push_back(kernel_row("a", i == 0 ? 103.6 : 100, "sphere:" + std::to_string(i)));
  }
  EXPECT_EQ(compare_rows(before[0], after[0]).change, Change::slower);
  const Side base = side_of(before), next = side_of(after);
  const Comparison comparison = compare(base, next, {});
  const ComparedRow& row = comparison.devices[0].rows[0];
  EXPECT_EQ(comparison.judged, 40);
  EXPECT_EQ(row.change, Change::inconclusive);
  EXPECT_GT(row.interval->lo, 1.03);
  EXPECT_GT(*row.p_beyond, 0.05);
  EXPECT_TRUE(has(row.detail, "slower alone, but not for 40 rows together")) << row.detail;
  EXPECT_EQ(comparison.count(Change::same), 39) << "each must be within for itself";
}

TEST(DriftText, SaysWhatWasSeenAndHowToSeeMore) {
  const std::vector<ProcessTimes> one{{{"a", 100}}}, two{{{"a", 100}}, {{"a", 102}}};
  const std::string unseen = drift_text(process_drift(one, one, {}));
  EXPECT_EQ(unseen,
            "one process a side: only drift within a process was seen; compare --ab OLD NEW -- run "
            "... measures drift between processes, --process-drift states it");
  EXPECT_EQ(drift_text(process_drift(one, one, 0.02)),
            "one process a side: only drift within a process was seen; 2 % between processes, as "
            "stated; compare --ab OLD NEW -- run ... measures it");
  EXPECT_EQ(drift_text(process_drift(one, two, 0.02)), "drift between processes: 2 %, as stated");
  EXPECT_EQ(drift_text(process_drift(one, two, {})),
            "drift between processes: 1.4 % (standard deviation, 1 of BASE and 2 of NEW); more "
            "processes (--ab --pairs) make intervals narrower");
}

}  // namespace
}  // namespace spb::report
