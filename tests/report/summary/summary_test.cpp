// SPDX-License-Identifier: Apache-2.0
#include "report/summary/summary.h"

#include <algorithm>
#include <random>
#include <set>
#include <string_view>

#include "report/has.h"
#include "report/known.h"
#include "report/records/fields.h"
#include "report/samples.h"
#include "report/summary/answer.h"
#include "report/summary/differences.h"
#include "report/summary/rank.h"
#include "report/summary/rows.h"
#include "report/summary/tables.h"

namespace spb::report {
namespace {

Record gpu_row(const std::string& algorithm, double time_us, const std::string& gpu = "GPU A") {
  Record row = sample_row(algorithm, time_us);
  row[columns::backend] = "cuda";
  row[columns::gpu_name] = gpu;
  row[columns::cache] = CacheState::cold;
  return row;
}

Record with(Record row, const char* column, const Value& value) {
  row.named(column) = value;
  return row;
}

CaseSet cases(std::vector<Record>& rows) {
  sort_rows(rows);
  return collect_cases(rows, kKnown);
}

std::string summary_of(std::vector<Record> rows) {
  RecordSet records;
  records.rows = std::move(rows);
  const CaseSet set = cases(records.rows);
  return summary(records, set, kUsualRuns);
}

TEST(SummaryRows, NumbersInTextSortByValue) {
  EXPECT_LT(compare_column(columns::dataset, "sphere:8", "sphere:16"), 0);
  EXPECT_GT(compare_column(columns::dataset, "sphere:128", "sphere:64"), 0);
  EXPECT_EQ(compare_column(columns::dataset, "a", "a"), 0);
}

TEST(SummaryRows, EnumerationsSortByUse) {
  EXPECT_LT(compare_column(columns::direction, "fprop", "dgrad"), 0);
  EXPECT_LT(compare_column(columns::dtype, "f32", "bf16"), 0);
  EXPECT_LT(compare_column(columns::dtype, "f32", "3xtf32"), 0);
  EXPECT_LT(compare_column(columns::arithmetic_class, "3xtf32", "tf32"), 0);
  EXPECT_LT(compare_column(columns::cache, "cold", "hot"), 0);
  EXPECT_LT(compare_column(columns::dtype, "bf16", "fp8"), 0) << "unknown values come last";
}

TEST(SummaryRows, MissingComesFirstAndNumbersCompareAsNumbers) {
  EXPECT_LT(compare_column(columns::voxel_size_m, Value(), 0.1), 0);
  EXPECT_LT(compare_column(columns::voxel_size_m, 0.12, 0.2), 0);
  EXPECT_LT(compare_column(columns::c_in, int64_t{16}, int64_t{128}), 0);
}

TEST(SummaryCases, FastestIsAmongTheVerified) {
  std::vector<Record> rows{
      gpu_row("explicit_gemm", 100), gpu_row("right", 50),
      with(with(gpu_row("wrong", 1), "status", "incorrect"), "verify_status", "fail"),
      with(gpu_row("hot_chip", 2), "status", "throttled")};
  const CaseSet set = cases(rows);
  ASSERT_EQ(set.devices.size(), 1u);
  ASSERT_EQ(set.devices[0].cases.size(), 4u);
  for (const Case& one : set.devices[0].cases) {
    EXPECT_EQ(one.fastest, one.algorithm == "right") << one.algorithm;
    if (one.algorithm == "right") {
      EXPECT_DOUBLE_EQ(one.speedup, 2);
    }
    if (one.algorithm == "wrong" || one.algorithm == "hot_chip") {
      EXPECT_FALSE(one.ranked);
    }
  }
}

TEST(SummaryCases, ColdIsRankedWhereItWasMeasured) {
  std::vector<Record> rows{gpu_row("a", 10), gpu_row("b", 20),
                           with(gpu_row("a", 9), "cache", "hot"),
                           with(gpu_row("b", 3), "cache", "hot")};
  const CaseSet set = cases(rows);
  EXPECT_EQ(set.devices[0].cache, "cold");
  EXPECT_EQ(fastest_of(cells_of(set.devices[0])[0])->algorithm, "a");
  EXPECT_DOUBLE_EQ(fastest_of(cells_of(set.devices[0])[0])->number("hot", columns::time_median_us),
                   9);
}

TEST(SummaryCases, TheLaterRunCounts) {
  std::vector<Record> rows{with(gpu_row("a", 10), "run_id", "20270101T000000Z-000000"),
                           with(gpu_row("a", 5), "run_id", "20260101T000000Z-000000"),
                           with(gpu_row("a", 4), "run_id", "20260101T000000Z-000000")};
  rows[2][columns::phase] = Phase::plan;
  rows[2][columns::cache] = CacheState::none;
  const CaseSet set = cases(rows);
  ASSERT_EQ(set.devices[0].cases.size(), 1u);
  EXPECT_DOUBLE_EQ(time_us(set.devices[0].cases[0]), 10);
  EXPECT_FALSE(set.devices[0].cases[0].rows.contains("plan")) << "runs must not mix";
  EXPECT_EQ(set.superseded, 1u);
}

TEST(SummaryCases, HostStandsApartAndLast) {
  std::vector<Record> rows{with(sample_row("a", 1), "gpu_name", "A processor"), gpu_row("a", 100)};
  const CaseSet set = cases(rows);
  ASSERT_EQ(set.devices.size(), 2u);
  EXPECT_EQ(set.devices[0].backend, "cuda");
  EXPECT_TRUE(set.devices[1].is_host());
  EXPECT_TRUE(set.devices[0].cases[0].fastest) << "never beaten by a host time";
  EXPECT_TRUE(has(summary_of(rows), kHostHeading));
}

TEST(SummaryCases, LabelsHoldWhatDiffers) {
  std::vector<Record> rows{with(gpu_row("a", 1), "stride", "1x1x1"),
                           with(gpu_row("a", 1), "stride", "2x2x2")};
  for (Record& row : rows) row[columns::kernel_size] = "3x3x3";
  const CaseSet set = cases(rows);
  EXPECT_EQ(set.workloads,
            (std::vector<std::string>{"sphere:8 s1x1x1 16→32", "sphere:8 s2x2x2 16→32"}));
  EXPECT_EQ(set.shapes, (std::vector<std::string>{" s1x1x1 16→32", " s2x2x2 16→32"}));
  ASSERT_EQ(set.constants.size(), 1u);
  EXPECT_EQ(set.constants[0].first, "kernel_size");
}

TEST(SummaryCases, NoRowsAreNoCases) { EXPECT_TRUE(collect_cases({}, kKnown).devices.empty()); }

TEST(SummaryTables, EqualRemarksShareANumber) {
  Footnotes notes;
  EXPECT_EQ(notes.mark(""), "");
  EXPECT_EQ(notes.mark("x"), " [1]");
  EXPECT_EQ(notes.mark("y"), " [2]");
  EXPECT_EQ(notes.mark("x"), " [1]");
}

TEST(SummaryTables, RatesHaveTheUnitOfTheDevice) {
  for (const auto& [gflops, unit, text] :
       {std::tuple(8.17, "GFLOP/s", "8.17"), std::tuple(240852.0, "TFLOP/s", "241")}) {
    std::vector<Record> rows{gpu_row("a", 100)};
    rows[0][columns::throughput_gflops] = gflops;
    const CaseSet set = cases(rows);
    const SummaryTable table = fastest_table(set, set.devices.at(0));
    const auto column = std::ranges::find(table.headers, unit) - table.headers.begin();
    ASSERT_LT(static_cast<size_t>(column), table.headers.size()) << unit;
    EXPECT_EQ(table.cells[0][static_cast<size_t>(column)].text, text);
  }
}

TEST(SummaryTables, DevicesAreComparedOverCommonCellsOfGpus) {
  std::vector<Record> rows{gpu_row("a", 100, "GPU A"),
                           gpu_row("a", 50, "GPU B"),
                           with(gpu_row("a", 100, "GPU A"), "dtype", "f16"),
                           with(gpu_row("a", 12.5, "GPU B"), "dtype", "f16"),
                           with(gpu_row("a", 7, "GPU B"), "direction", "wgrad"),
                           with(sample_row("a", 1), "gpu_name", "A processor")};
  for (Record& row : rows) row.named("arithmetic_class") = row.value(columns::dtype);
  const CaseSet set = cases(rows);
  const SummaryTable table = devices_table(set);
  ASSERT_EQ(table.headers, (std::vector<std::string>{"algorithm", "GPU B (cuda)"}));
  EXPECT_EQ(table.cells[0][1].text, "4.00 (2)");  // sqrt(2 · 8) over two cells
}

TEST(Summary, SaysWhyACaseHasNoTime) {
  Record refused = gpu_row("picky", 0);
  for (const char* column : {"time_median_us", "phase", "cache", "arithmetic_class"})
    refused.named(column) = Value();
  refused[columns::status] = Status::unsupported;
  refused[columns::status_detail] = "c_in = 3, needs a multiple of 8";
  const std::string text = summary_of({gpu_row("a", 10), refused});
  EXPECT_TRUE(has(text, "unsupported [1]")) << text;
  EXPECT_TRUE(has(text, "c\\_in = 3, needs a multiple of 8")) << text;
}

TEST(Summary, MarksNoiseThrottlingAndDoubts) {
  std::vector<Record> rows{with(gpu_row("noisy", 10), "noise_rel", 0.08),
                           with(gpu_row("calm", 20), "noise_rel", 0.04),
                           with(gpu_row("hot_chip", 30), "status", "throttled"),
                           with(gpu_row("odd", 40), "cold_suspect", true)};
  const std::string text = summary_of(rows);
  EXPECT_TRUE(has(text, "**10.0 \\~ \\***")) << text;
  EXPECT_TRUE(has(text, "| 20.0 |")) << text;
  EXPECT_TRUE(has(text, "30.0 †")) << text;
  EXPECT_TRUE(has(text, "40.0 ?")) << text;
  for (const char* meaning : {"IQR above 5 %", "throttled; not ranked", "caches were not cold"})
    EXPECT_TRUE(has(text, meaning)) << meaning;
}

TEST(Summary, TellsOfRunsThatDidNotEnd) {
  RecordSet records;
  records.rows = {gpu_row("a", 10)};
  Record context;
  context[columns::run_id] = "one";
  records.contexts = {context, context, with(context, "run_id", "two")};
  records.summaries = {Record()};
  const CaseSet set = cases(records.rows);
  EXPECT_EQ(
      general_notes(records, set),
      std::vector<std::string>{"1 of 2 runs did not come to their end: cases may be missing"});
}

TEST(Summary, AnInterruptedRunDidNotEndUnlessItWasResumed) {
  RecordSet records;
  records.rows = {gpu_row("a", 10)};
  Record context, interrupted, ended;
  context[columns::run_id] = "one";
  interrupted.named("interrupted") = true;
  ended.named("interrupted") = false;
  records.contexts = {context};
  records.summaries = {interrupted};
  const CaseSet set = cases(records.rows);
  EXPECT_EQ(general_notes(records, set).size(), 1u);
  records.contexts = {context, context};
  records.summaries = {interrupted, ended};
  EXPECT_EQ(general_notes(records, set).size(), 0u);
}

TEST(Summary, SaysWhichShareVerificationTook) {
  RecordSet records;
  records.rows = {gpu_row("a", 10)};
  Record one, two, without;
  one.named("duration_s") = two.named("duration_s") = without.named("duration_s") = 10.0;
  one[columns::verify_s] = 2.0;
  two[columns::verify_s] = 7.0;
  records.summaries = {one, without, two};
  const CaseSet set = cases(records.rows);
  EXPECT_EQ(general_notes(records, set),
            std::vector<std::string>{"45 % of the runs' time was verification"});
  records.summaries = {without};
  EXPECT_EQ(general_notes(records, set).size(), 0u) << "a record of an older version";
}

TEST(Summary, DoesNotDependOnTheOrderOfRows) {
  std::vector<Record> rows;
  for (const char* dtype : {"f32", "f16", "bf16"})
    for (const char* direction : {"wgrad", "fprop"})
      for (const char* algorithm : {"explicit_gemm", "b", "a"})
        rows.push_back(
            with(with(gpu_row(algorithm, 10 + static_cast<double>(rows.size())), "dtype", dtype),
                 "direction", direction));
  const std::string text = summary_of(rows);
  std::shuffle(rows.begin(), rows.end(), std::mt19937(1));
  EXPECT_EQ(summary_of(rows), text);
}

TEST(Summary, RowsWithFewColumnsAreEnough) {
  Record row;
  row[columns::algorithm] = "a";
  row[columns::status] = Status::ok;
  EXPECT_TRUE(has(summary_of({row}), "## Verdicts"));
}

// But phases, which are of one case, and the dtype, which stands in the arithmetic class as well.
TEST(Cases, EveryKeyTellsThemApart) {
  const std::set<std::string_view> within{"phase", "cache", "layers", "dtype"};
  for (const Field& field : fields()) {
    if (!field.key || within.contains(field.name)) continue;
    std::vector<Record> rows{gpu_row("gather_scatter", 10), gpu_row("gather_scatter", 20)};
    rows[1].named(field.name) =
        parse_value(field, field.type == FieldType::boolean ? "0" : "7", "");
    const CaseSet set = cases(rows);
    size_t count = 0;
    for (const DeviceCases& device : set.devices) count += device.cases.size();
    EXPECT_EQ(count, 2u) << field.name;
  }
}

}  // namespace
}  // namespace spb::report
