// SPDX-License-Identifier: Apache-2.0
#include "report/compare/compare.h"

#include "report/compare/gate.h"
#include "report/compared.h"

namespace spb::report {
namespace {

const Gate kGate{{"slower", "incorrect", "error", "memory"}};

TEST(CompareTimes, VerdictFollowsIntervalThresholdAndFloor) {
  const struct {
    double base_us, next_us;
    Change change;
  } cases[] = {
      {100, 100, Change::same},         {100, 102, Change::same},
      {100, 103, Change::inconclusive}, {100, 105, Change::slower},
      {100, 97, Change::inconclusive},  {100, 95, Change::faster},
      {10, 10.99, Change::same},        {10, 11.1, Change::slower},  // the floor is 1 us
      {10, 8.9, Change::faster},        {0.2, 0.9, Change::same},
      {1e6, 1.02e6, Change::same},      {1e6, 1.05e6, Change::slower},
  };
  for (const auto& one : cases) {
    const ComparedRow row =
        compare_rows(kernel_row("a", one.base_us), kernel_row("a", one.next_us));
    EXPECT_EQ(row.change, one.change) << one.base_us << " " << one.next_us;
    EXPECT_DOUBLE_EQ(*row.ratio, one.next_us / one.base_us);
    ASSERT_TRUE(row.interval);
    EXPECT_DOUBLE_EQ(row.interval->hi, one.next_us * 1.002 / (one.base_us * 0.998));
    EXPECT_FALSE(row.resampled);
  }
  CompareOptions tolerant;
  tolerant.threshold = 0.1;
  EXPECT_EQ(compare_rows(kernel_row("a", 100), kernel_row("a", 105), tolerant).change,
            Change::same);
  tolerant.threshold = 0.01;
  tolerant.floor_us = 20;
  EXPECT_EQ(compare_rows(kernel_row("a", 100), kernel_row("a", 105), tolerant).change,
            Change::same);
}

TEST(CompareTimes, ChainsOfLaunchesHaveAFloorOfTheirOwn) {
  Record base = kernel_row("a", 40), next = kernel_row("a", 42.5);
  EXPECT_EQ(compare_rows(base, next).change, Change::slower) << "no kernel is forgiven";
  for (const char* phase : {"map_build", "plan", "end_to_end"}) {
    base.named("phase") = next.named("phase") = phase;
    next[columns::time_median_us] = 42.5;
    EXPECT_EQ(compare_rows(base, next).change, Change::same) << phase;
    next[columns::time_median_us] = 43.5;
    EXPECT_EQ(compare_rows(base, next).change, Change::slower) << phase;
  }
}

TEST(CompareTimes, WithoutAnIntervalThereIsNoVerdict) {
  Record base = kernel_row("a", 100), next = kernel_row("a", 200);
  next[columns::time_ci95_lo_us] = std::nullopt;
  EXPECT_EQ(compare_rows(base, next).change, Change::inconclusive);
}

TEST(CompareTimes, ThrottledIsAtBestInconclusive) {
  Record next = kernel_row("a", 200);
  next[columns::status] = Status::throttled;
  EXPECT_EQ(compare_rows(kernel_row("a", 100), next).change, Change::inconclusive);
  next[columns::time_median_us] = 100.0;
  EXPECT_EQ(compare_rows(kernel_row("a", 100), next).change, Change::inconclusive);
}

TEST(CompareTimes, SamplesOnBothSidesAreResampled) {
  Side base = side_of({kernel_row("a", 100)}), next = side_of({kernel_row("a", 110)});
  const std::string key = sample_key(base.records.rows.front());
  for (int round = 0; round < 5; ++round) {
    base.samples[key].push_back({99.9 - 0.01 * round, 100, 100.1});
    next.samples[key].push_back({109.9 - 0.01 * round, 110, 110.1});
  }
  const Comparison comparison = compare(base, next, {});
  const ComparedRow& row = comparison.devices.at(0).rows.at(0);
  EXPECT_TRUE(row.resampled);
  EXPECT_EQ(row.change, Change::slower);
  EXPECT_GT(row.interval->lo, 1.095);
  EXPECT_LT(row.interval->hi, 1.105);
  ASSERT_TRUE(row.p);
  EXPECT_DOUBLE_EQ(*row.p, 2.0 / 252);
  next.samples.clear();
  const Comparison one_sided = compare(base, next, {});
  EXPECT_FALSE(one_sided.devices.at(0).rows.at(0).resampled);
}

TEST(CompareRows, MatchByKeyNeverByPosition) {
  const Side base = side_of({kernel_row("a", 100), kernel_row("b", 200), kernel_row("c", 300)});
  const Side next = side_of({kernel_row("c", 300), kernel_row("d", 400), kernel_row("a", 100)});
  const Comparison comparison = compare(base, next, {});
  EXPECT_EQ(comparison.matched, 2);
  EXPECT_EQ(comparison.count(Change::same), 2);
  EXPECT_EQ(comparison.count(Change::missing), 1);
  EXPECT_EQ(comparison.count(Change::added), 1);
  Record weaker = kernel_row("a", 50);
  weaker[columns::arithmetic_class] = "f32+acc16";  // weaker arithmetic is another row
  const Side cheat = side_of({weaker});
  EXPECT_EQ(compare(base, cheat, {}).matched, 0);
}

TEST(CompareRows, OfARepeatedRowTheLastRunCounts) {
  Record earlier = kernel_row("a", 100), later = kernel_row("a", 150);
  earlier[columns::run_id] = "first";
  later[columns::run_id] = "second";
  const Side base = side_of({kernel_row("a", 100)}), next = side_of({earlier, later});
  const Comparison comparison = compare(base, next, {});
  EXPECT_EQ(comparison.matched, 1);
  EXPECT_EQ(comparison.count(Change::slower), 1);
  ASSERT_EQ(comparison.notes.size(), 1u);
  Record crashed = failed_row("a", "error");
  crashed[columns::run_id] = "third";
  const Side worse = side_of({earlier, later, crashed});
  EXPECT_EQ(compare(base, worse, {}).count(Change::error), 1);
}

TEST(CompareStatus, FailuresFindTheRowsTheyReplace) {
  const struct {
    Record base, next;
    Change change;
    ExitCode code;
  } cases[] = {
      {kernel_row("a", 100), failed_row("a", "incorrect"), Change::incorrect, ExitCode::incorrect},
      {kernel_row("a", 100), failed_row("a", "mistrusted"), Change::incorrect, ExitCode::incorrect},
      {kernel_row("a", 100), failed_row("a", "error"), Change::error, ExitCode::runtime},
      {kernel_row("a", 100), failed_row("a", "oom"), Change::error, ExitCode::runtime},
      {kernel_row("a", 100), failed_row("a", "timeout"), Change::error, ExitCode::runtime},
      {failed_row("a", "incorrect"), kernel_row("a", 100), Change::fixed, ExitCode::ok},
      {failed_row("a", "oom"), failed_row("a", "error"), Change::failing, ExitCode::ok},
      {failed_row("a", "oom"), failed_row("a", "incorrect"), Change::incorrect,
       ExitCode::incorrect},
      {kernel_row("a", 100), failed_row("a", "unsupported"), Change::missing, ExitCode::nothing},
  };
  for (const auto& one : cases) {
    const Side base = side_of({one.base}), next = side_of({one.next});
    const Comparison comparison = compare(base, next, {});
    EXPECT_EQ(comparison.count(one.change), 1) << name(one.change);
    EXPECT_EQ(comparison.devices.at(0).rows.size(), 1u) << name(one.change);
    EXPECT_EQ(exit_code(comparison, kGate), one.code) << name(one.change);
  }
}

TEST(CompareStatus, ARowThatLostItsTimeIsNotTheSame) {
  Record lost = kernel_row("a", 100);
  for (const char* column : {"time_median_us", "time_ci95_lo_us", "time_ci95_hi_us"})
    lost.named(column) = Value();
  const Side base = side_of({kernel_row("a", 100)}), next = side_of({lost});
  EXPECT_EQ(compare(base, next, {}).count(Change::inconclusive), 1);
  EXPECT_EQ(compare(next, next, {}).count(Change::same), 1);
}

TEST(CompareStatus, ANewCaseThatIsWrongFailsToo) {
  const Side base = side_of({kernel_row("a", 100)});
  const Side next = side_of({kernel_row("a", 100), failed_row("b", "incorrect")});
  EXPECT_EQ(exit_code(compare(base, next, {}), Gate{{}}), ExitCode::incorrect);
}

TEST(CompareMemory, EveryByteCountsUnlessAllowed) {
  const Side base = side_of({kernel_row("a", 100)});
  Record larger = kernel_row("a", 100);
  larger[columns::peak_total_bytes] = 1001;
  const Side next = side_of({larger});
  CompareOptions options;
  const Comparison worse = compare(base, next, options);
  EXPECT_EQ(worse.count_worse_memory(), 1);
  EXPECT_EQ(exit_code(worse, kGate), ExitCode::gate);
  EXPECT_EQ(exit_code(worse, Gate{{"slower"}}), ExitCode::ok);
  options.memory_threshold = 0.01;
  EXPECT_EQ(exit_code(compare(base, next, options), kGate), ExitCode::ok);
  const Comparison better = compare(next, base, {});
  EXPECT_EQ(better.count_worse_memory(), 0);
  EXPECT_EQ(better.devices.at(0).memory.size(), 1u);
}

TEST(CompareConditions, WhatDiffersIsNotComparableUnlessAllowed) {
  const struct {
    const char* column;
    const char* value;
    const char* condition;
  } cases[] = {
      {"gpu_name", "NVIDIA H100", "gpu"},
      {"driver_version", "570", "driver"},
      {"map_hash", "decaf", "data"},
      {"fill", "dataset", "fill"},
      {"timing_method", "sync_wall", "timing_method"},
      {"clock_policy", "locked:1500", "clock_policy"},
  };
  for (const auto& one : cases) {
    Record base = kernel_row("a", 100), next = kernel_row("a", 200);
    base[columns::clock_policy] = "free";
    next[columns::clock_policy] = "free";
    next.named(one.column) = one.value;
    const Side before = side_of({base}), after = side_of({next});
    const Comparison refused = compare(before, after, {});
    EXPECT_EQ(refused.count(Change::not_comparable), 1) << one.condition;
    EXPECT_EQ(refused.compared(), 0) << one.condition;
    EXPECT_TRUE(refused.differing.contains(one.condition)) << one.condition;
    EXPECT_EQ(exit_code(refused, kGate), ExitCode::nothing) << one.condition;
    EXPECT_FALSE(refused.devices.at(0).rows.at(0).ratio) << one.condition;
    CompareOptions options;
    options.allowed = {one.condition};
    EXPECT_EQ(compare(before, after, options).count(Change::slower), 1) << one.condition;
  }
}

TEST(CompareConditions, WhatOneSideDidNotRecordIsNotHeldAgainstTheOther) {
  Record next = kernel_row("a", 100);
  next[columns::clock_policy] = "free";
  EXPECT_EQ(compare_rows(kernel_row("a", 100), next).change, Change::same);
}

TEST(CompareConditions, ADeviceBringsItsDriverAndClocks) {
  Record next = kernel_row("a", 50);
  next[columns::gpu_name] = "NVIDIA B200";
  next[columns::driver_version] = "590";
  CompareOptions options;
  options.allowed = {"gpu"};
  EXPECT_EQ(compare_rows(kernel_row("a", 100), next, options).change, Change::faster);
  next[columns::map_hash] = "decaf";
  EXPECT_EQ(compare_rows(kernel_row("a", 100), next, options).change, Change::not_comparable);
}

Record host_row(const std::string& algorithm, double time_us) {
  Record row = kernel_row(algorithm, time_us);
  row[columns::backend] = "host";
  row[columns::gpu_name] = "AMD EPYC";
  row[columns::driver_version] = "6.18";
  row[columns::timing_method] = "host_wall";
  row[columns::peak_total_bytes] = 5000;
  return row;
}

TEST(Compare, AChainOfLaunchesHasItsOwnFloorOnAGpu) {
  const auto change = [](Record (*row)(const std::string&, double), const char* phase) {
    Record base = row("a", 10), next = row("a", 12.5);
    for (Record* one : {&base, &next}) (*one).named("phase") = phase;
    return compare_rows(base, next).change;
  };
  const auto on_gpu = [](const std::string& name, double time_us) {
    return kernel_row(name, time_us);
  };
  EXPECT_EQ(change(on_gpu, "plan"), Change::same) << "2.5 us";
  EXPECT_EQ(change(on_gpu, "kernel"), Change::slower);
  EXPECT_EQ(change(host_row, "plan"), Change::slower) << "launches cost nothing there";
}

TEST(CompareDevices, AGpuAndTheHostOnlyRelatively) {
  const Side gpu = side_of({kernel_row("explicit_gemm", 100), kernel_row("a", 25)});
  const Side host = side_of({host_row("explicit_gemm", 1e5), host_row("a", 5e4)});
  EXPECT_EQ(compare(gpu, host, {}).compared(), 0);
  CompareOptions options;
  options.reference = "explicit_gemm";
  options.allowed = {"gpu"};
  const Comparison comparison = compare(gpu, host, options);
  const DeviceComparison& device = comparison.devices.at(0);
  EXPECT_TRUE(device.relative);
  EXPECT_EQ(comparison.count(Change::relative), 2);
  for (const ComparedRow& row : device.rows) EXPECT_FALSE(row.ratio);
  EXPECT_DOUBLE_EQ(*device.rows[1].base_speedup, 4);
  EXPECT_DOUBLE_EQ(*device.rows[1].next_speedup, 2);
  EXPECT_EQ(device.memory.size(), 0u);
}

TEST(CompareDevices, EachWithItsOwnElseWithTheOnlyOne) {
  Record b200 = kernel_row("a", 50);
  b200[columns::gpu_name] = "NVIDIA B200";
  const Side both = side_of({kernel_row("a", 100), b200});
  const Comparison own = compare(both, both, {});
  EXPECT_EQ(own.devices.size(), 2u);
  EXPECT_EQ(own.count(Change::same), 2);
  const Side h200 = side_of({kernel_row("a", 100)});
  CompareOptions options;
  options.allowed = {"gpu"};
  const Comparison across = compare(h200, both, options);
  ASSERT_EQ(across.devices.size(), 2u);
  EXPECT_TRUE(across.devices[0].same_device);
  EXPECT_FALSE(across.devices[1].same_device);
  EXPECT_EQ(across.count(Change::faster), 1);
  EXPECT_EQ(compare(both, h200, options).count(Change::missing), 1);
}

TEST(Gate, KnowsItsExitCodes) {
  const Side base = side_of({kernel_row("a", 100), kernel_row("b", 100)});
  const Side slower = side_of({kernel_row("a", 120), kernel_row("b", 100)});
  const Side less = side_of({kernel_row("a", 100)});
  EXPECT_EQ(exit_code(compare(base, base, {}), kGate), ExitCode::ok);
  EXPECT_EQ(exit_code(compare(base, slower, {}), kGate), ExitCode::gate);
  EXPECT_EQ(failures(compare(base, slower, {}), kGate), "1 slower");
  EXPECT_EQ(exit_code(compare(base, slower, {}), Gate{{"memory"}}), ExitCode::ok);
  EXPECT_EQ(exit_code(compare(base, less, {}), kGate), ExitCode::ok);
  EXPECT_EQ(exit_code(compare(base, less, {}), Gate{{"missing"}}), ExitCode::gate);
  EXPECT_EQ(exit_code(compare(base, side_of({kernel_row("z", 1)}), {}), kGate), ExitCode::nothing);
  EXPECT_EQ(exit_code(compare(base, side_of({}), {}), kGate), ExitCode::nothing);
  // What is undecided has a code of its own, behind all others.
  const Gate decides{{"slower", "inconclusive"}};
  const Side maybe = side_of({kernel_row("a", 103), kernel_row("b", 100)});
  EXPECT_EQ(exit_code(compare(base, maybe, {}), decides), ExitCode::inconclusive);
  EXPECT_EQ(gate_text(compare(base, maybe, {}), decides), "the gate is undecided: 1 inconclusive");
  EXPECT_EQ(exit_code(compare(base, maybe, {}), kGate), ExitCode::ok);
  const Side both = side_of({kernel_row("a", 103), kernel_row("b", 120)});
  EXPECT_EQ(exit_code(compare(base, both, {}), decides), ExitCode::gate);
  EXPECT_EQ(gate_text(compare(base, both, {}), decides),
            "the gate fails: 1 slower, 1 inconclusive");
  // Errors before wrong results before slow ones.
  Side all = side_of({kernel_row("a", 120), failed_row("b", "incorrect")});
  EXPECT_EQ(exit_code(compare(base, all, {}), kGate), ExitCode::incorrect);
  all.records.rows.push_back(failed_row("c", "error"));
  EXPECT_EQ(exit_code(compare(base, all, {}), kGate), ExitCode::runtime);
  EXPECT_EQ(exit_code(compare(base, all, {}), Gate{{}}), ExitCode::incorrect);
}

}  // namespace
}  // namespace spb::report
