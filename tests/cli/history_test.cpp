// SPDX-License-Identifier: Apache-2.0
// history, over runs made by hand.
#include <gtest/gtest.h>

#include "program.h"
#include "report/compared.h"
#include "report/plots/plots.h"
#include "report/records/csv.h"

namespace spb::cli {
namespace {

/// A row of the run of one day, its interval 0.2 % to both sides.
Record row(const std::string& algorithm, double time_us, int day) {
  Record row = report::kernel_row(algorithm, time_us);
  row[columns::run_id] = "2026010" + std::to_string(day) + "T000000Z-abcdef";
  row[columns::timestamp_utc] = "2026-01-0" + std::to_string(day) + "T00:00:00Z";
  row[columns::git_sha] = std::string(7, static_cast<char>('0' + day)) + "ffff";
  return row;
}

class History : public testing::Test {
 protected:
  void write(const std::string& run, const std::vector<Record>& rows) const {
    report::write_csv(folder_ / ("runs/" + run + "/results.csv"), rows);
  }
  /// Names of folders say nothing: the runs were made in the order b, c, a.
  void write_three() const {
    write("b", {row("a", 100, 1), row("b", 50, 1)});
    write("c", {row("a", 120, 2), row("b", 50.05, 2)});
    write("a", {row("a", 60, 3), row("b", 50, 3)});
  }
  std::string line(const std::string& text, const std::string& begin) const {
    const size_t at = ("\n" + text).find("\n" + begin);
    return at == std::string::npos ? "" : text.substr(at, text.find('\n', at) - at);
  }
  TemporaryFolder folder_;
};

TEST_F(History, RowsOverRunsInTheOrderOfTime) {
  write_three();
  const Outcome outcome = folder_.run("history runs");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(outcome.err, "");
  EXPECT_TRUE(contains(outcome.out, "2026-01-01 1111111  2026-01-02 2222222  2026-01-03 3333333"));
  EXPECT_TRUE(contains(line(outcome.out, "2026-01-02T"), "2222222  spconv-bench , c 20260102T"));
  const std::string changed = line(outcome.out, "a ");
  EXPECT_TRUE(contains(changed, " 100 µs  ")) << changed;
  EXPECT_TRUE(contains(changed, "120 µs +20.0 % *")) << changed;
  EXPECT_TRUE(contains(changed, "60.0 µs -50.0 % *")) << changed;
  const std::string same = line(outcome.out, "b ");
  EXPECT_TRUE(contains(same, "50.0 µs +0.1 %")) << same;  // 49.95..50.15 meets 49.9..50.1
  EXPECT_FALSE(contains(same, "*")) << same;
  EXPECT_TRUE(contains(outcome.out, "* the 95 % interval does not meet the one before"));
}

TEST_F(History, OnlyWhatChangedAndTheLatest) {
  write_three();
  const Outcome changed = folder_.run("history runs --changed");
  EXPECT_NE(line(changed.out, "sphere:8/a/"), "") << changed.out;
  EXPECT_EQ(line(changed.out, "sphere:8/b/"), "") << changed.out;
  EXPECT_TRUE(contains(changed.out, "1 more rows have no *")) << changed.out;
  const Outcome beyond = folder_.run("history runs --threshold 25%");
  EXPECT_TRUE(contains(line(beyond.out, "a "), "120 µs +20.0 %  ")) << beyond.out;
  EXPECT_TRUE(contains(line(beyond.out, "a "), "-50.0 % *")) << beyond.out;
  const Outcome last = folder_.run("history runs --last 2");
  EXPECT_FALSE(contains(last.out, "1111111")) << last.out;
  EXPECT_TRUE(contains(last.err, "1 earlier runs are not shown: see --last")) << last.err;
  EXPECT_EQ(line(folder_.run("history runs --filter */a/*").out, "b "), "");
}

TEST_F(History, WhatIsNotComparableIsNoChange) {
  Record driver = row("a", 200, 2);
  driver[columns::driver_version] = "590";
  Record host = row("a", 9999, 2);
  host[columns::backend] = "host";
  host[columns::gpu_name] = "AMD EPYC";
  write("a", {row("a", 100, 1)});
  write("b", {driver, host});
  const Outcome outcome = folder_.run("history runs --color always");
  EXPECT_TRUE(contains(line(outcome.out, "sphere:8/a/"), "200 µs +100.0 % !")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "! not comparable with the time before: driver (580 / 590)"));
  EXPECT_FALSE(contains(outcome.out, "\033[31m")) << outcome.out;
  EXPECT_TRUE(contains(outcome.out, "\nAMD EPYC (host)\n")) << "a device has its own table";
}

TEST_F(History, FailedAndMissingRowsAreShownAsSuch) {
  write("a", {row("a", 100, 1), row("b", 100, 1)});
  Record wrong = row("a", 1, 2);
  wrong[columns::status] = Status::incorrect;
  wrong[columns::time_median_us] = std::nullopt;
  write("b", {wrong});
  write("c", {row("a", 100, 3), row("b", 130, 3)});
  const Outcome outcome = folder_.run("history runs");
  EXPECT_TRUE(contains(line(outcome.out, "a "), "  incorrect       100 µs +0.0 %")) << outcome.out;
  EXPECT_TRUE(contains(line(outcome.out, "b "), "130 µs +30.0 % *")) << outcome.out;
}

TEST_F(History, CsvHasAllOfIt) {
  write_three();
  const std::string csv = folder_.run("history runs --csv - --quiet").out;
  EXPECT_EQ(count_lines(csv), 1 + 6u) << csv;
  EXPECT_EQ(line(csv, "NVIDIA H200,sphere:8/a/kernel/cold,c,"),
            "NVIDIA H200,sphere:8/a/kernel/cold,c,20260102T000000Z-abcdef,2026-01-02T00:00:00Z,,"
            "2222222,ok,120,119.76,120.24,1.2,changed,");
  const Outcome written = folder_.run("history runs --csv out.csv --last 3");
  EXPECT_EQ(read(folder_ / "out.csv"), csv);
  EXPECT_TRUE(contains(written.out, "all rows: sphere:8, kernel, cold")) << "the table stays";
}

TEST_F(History, Plots) {
  if (!report::has_gnuplot()) GTEST_SKIP() << "gnuplot is not installed";
  write_three();
  const Outcome outcome = folder_.run("history runs --plots plots");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string svg = read(folder_ / "plots/history.svg");
  for (const char* part : {"NVIDIA H200: time over the first run [%], 2 rows that all runs have",
                           "2026-01-02 2222222", "+20"})
    EXPECT_TRUE(contains(svg, part)) << part;
  const Outcome one = folder_.run("history runs --last 1 --plots other");
  EXPECT_EQ(one.code, 5) << one.err;
  EXPECT_TRUE(contains(one.err, "--plots: no row is timed in each of two runs")) << one.err;
}

TEST_F(History, ARunCountsOnceAndOtherFoldersAreTold) {
  write_three();
  write("z", {row("a", 120, 2), row("b", 50.05, 2)});
  folder_.write("runs/note.txt", "no folder");
  std::filesystem::create_directories(folder_ / "runs/page");
  const Outcome outcome = folder_.run("history runs");
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(contains(outcome.err, "z holds run 20260102T000000Z-abcdef again, as c does"));
  EXPECT_TRUE(contains(outcome.err, "left out: runs/page: holds no records")) << outcome.err;
  EXPECT_EQ(count_lines(outcome.err), 2u) << outcome.err;
  EXPECT_FALSE(contains(outcome.out, " z ")) << outcome.out;
}

TEST_F(History, RunsOfOneDayAreToldApart) {
  Record later = row("a", 100, 1);
  later[columns::run_id] = "20260101T020000Z-abcdef";
  later[columns::timestamp_utc] = "2026-01-01T02:00:00Z";
  write("a", {row("a", 100, 1)});
  write("b", {later});
  EXPECT_TRUE(contains(folder_.run("history runs").out,
                       "2026-01-01T00:00 1111111  2026-01-01T02:00 1111111"));
}

TEST_F(History, OneFolderOfSeveralRuns) {
  report::write_csv(folder_ / "results.csv", std::vector{row("a", 100, 1), row("a", 120, 2)});
  EXPECT_TRUE(contains(folder_.run("history .").out, "120 µs +20.0 % *"));
}

TEST_F(History, WhatIsNone) {
  write_three();
  std::filesystem::create_directories(folder_ / "empty");
  folder_.write("file", "x");
  const struct {
    const char* words;
    int code;
    const char* err;
  } cases[] = {
      {"empty", 4, "empty: holds no records; name a folder"},
      {"none", 4, "none: does not exist; name a folder"},
      {"file", 4, "file: is no folder"},
      {"runs --filter nothing", 5, "runs has no row that --filter lets through"},
      {"runs --last 0", 2, "--last"},
      {"runs --threshold x", 2, "--threshold"},
      {"", 2, "DIR is required"},
  };
  for (const auto& one : cases) {
    const Outcome outcome = folder_.run(std::string("history ") + one.words);
    EXPECT_EQ(outcome.code, one.code) << one.words << outcome.err;
    EXPECT_TRUE(contains(outcome.err, one.err)) << one.words << outcome.err;
    EXPECT_EQ(count_lines(outcome.err), 1u) << outcome.err;
  }
}

}  // namespace
}  // namespace spb::cli
