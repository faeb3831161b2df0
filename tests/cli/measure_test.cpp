// SPDX-License-Identifier: Apache-2.0
// Options of run that decide what is measured, peaks, selftest.
#include <algorithm>
#include <cstdlib>
#include <gtest/gtest.h>
#include <map>
#include <set>

#include "program.h"
#include "report/records/csv.h"
#include "report/records/jsonl.h"
#include "report/records/read_samples.h"

namespace spb::cli {
namespace {

constexpr const char* kMeasured =
    "run sphere:4 --channels 4:8 --directions fprop --max-time 0.02 --min-samples 3 --out out "
    "--llc-bytes 1000000";  // not every processor says
constexpr size_t kPhases = 5;

double real(const Record& row, const char* name) {
  const auto* value = std::get_if<double>(&row.value(name));
  return value ? *value : 0;
}
int64_t whole(const Record& row, const char* name) {
  const auto* value = std::get_if<int64_t>(&row.value(name));
  return value ? *value : 0;
}

class Measure : public testing::Test {
 protected:
  std::vector<Record> rows() const {
    return report::read_csv(folder_.path() / "out" / "results.csv");
  }
  TemporaryFolder folder_;
};

TEST_F(Measure, RoundsAddUpAndSamplesAreKept) {
  const Outcome outcome = folder_.run(std::string(kMeasured) + " --rounds 3 --samples");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "samples.csv")) << outcome.err;
  const std::vector<Record> all = rows();
  ASSERT_EQ(all.size(), algorithm_count() * kPhases);
  std::set<std::string> keys;
  for (const Record& row : all) keys.insert(report::sample_key(row));
  const std::vector<std::filesystem::path> files{folder_.path() / "out" / "records.jsonl"};
  const auto samples = report::read_samples(files, keys);
  for (const Record& row : all) {
    const std::string id = row.text(columns::case_id);
    EXPECT_EQ(whole(row, "rounds"), 3) << id;
    EXPECT_EQ(row.text(columns::verify_status), "pass") << id;
    const auto found = samples.find(report::sample_key(row));
    ASSERT_NE(found, samples.end()) << id;
    ASSERT_EQ(found->second.size(), 3u) << id;
    std::vector<double> times;
    for (const auto& round : found->second) times.insert(times.end(), round.begin(), round.end());
    EXPECT_EQ(whole(row, "samples"), static_cast<int64_t>(times.size())) << id;
    EXPECT_NEAR(*std::ranges::min_element(times), real(row, "time_min_us"), 1e-3) << id;
    if (real(row, "throughput_gflops") > 0) {
      const double flops = 2.0 * static_cast<double>(whole(row, "n_pairs")) * 4 * 8;
      EXPECT_NEAR(real(row, "throughput_gflops") / (flops / real(row, "time_median_us") / 1e3), 1,
                  1e-6)
          << id;
    }
  }
}

TEST_F(Measure, RoundsWorkInAChildProcess) {
  const Outcome outcome = folder_.run(std::string(kMeasured) + " --rounds 2 --samples --isolate");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const Record& row : rows()) EXPECT_EQ(whole(row, "rounds"), 2);
  EXPECT_GT(count_lines(read(folder_.path() / "out" / "samples.csv")),
            2 * 3 * algorithm_count() * (kPhases - 1));
}

TEST_F(Measure, ABudgetSkipsTheRestAndRetryRunsIt) {
  const std::string suite = std::string(kMeasured) + " --dtypes f32,tf32,f16,bf16";
  Outcome outcome = folder_.run(suite + " --budget 0.05s");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::map<std::string, int> statuses;
  for (const Record& row : rows()) {
    ++statuses[row.text(columns::status)];
    if (row.text(columns::status) == "skipped") {
      EXPECT_EQ(row.text(columns::status_detail), "--budget 0.05s is used up");
    }
  }
  EXPECT_GE(statuses["ok"], 1);
  EXPECT_GE(statuses["skipped"], 1);

  outcome = folder_.run(suite + " --resume");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const std::string cases = std::to_string(4 * algorithm_count());
  EXPECT_TRUE(contains(outcome.err, "resuming: " + cases + " of " + cases)) << outcome.err;
  const std::string before = read(folder_ / "out/records.jsonl");
  outcome = folder_.run(suite + " --resume --retry skipped,error");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "out/records.before-retry-1.jsonl")) << outcome.err;
  EXPECT_EQ(read(folder_ / "out/records.before-retry-1.jsonl"), before);
  std::set<std::string> ids;
  for (const Record& row : rows()) {
    EXPECT_EQ(row.text(columns::status), "ok") << row.text(columns::case_id);
    EXPECT_TRUE(ids.insert(row.text(columns::case_id)).second) << row.text(columns::case_id);
  }
  EXPECT_EQ(ids.size(), 4 * algorithm_count() * kPhases);
}

TEST_F(Measure, OptionsThatMakeNoSenseAreRefused) {
  for (const auto& [more, part] : {std::pair(" --budget soon", "--budget"),
                                   {" --budget -1m", "--budget"},
                                   {" --resume --retry slow", "--retry"},
                                   {" --retry error", "--resume"},
                                   {" --rounds 0", "--rounds"},
                                   {" --settle 0", "--settle"},
                                   {" --rest -1", "--rest"},
                                   {" --lock-clocks fast", "--lock-clocks"},
                                   {" --lock-clocks 0 --dry-run", "--lock-clocks"},
                                   {" --peaks nothing.json", "nothing.json"}}) {
    const Outcome outcome = folder_.run(std::string(kMeasured) + more);
    EXPECT_NE(outcome.code, 0) << more;
    EXPECT_EQ(count_lines(outcome.err), 1u) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, part)) << outcome.err;
  }
}

TEST_F(Measure, PeaksGiveRowsTheirLimits) {
  const Outcome peaks = folder_.run("peaks --out peaks.json");
  ASSERT_EQ(peaks.code, 0) << peaks.err;
  EXPECT_LT(peaks.seconds, SPB_SANITIZED ? 600 : 120);
  for (const char* limit : {"copy", "gather 64 B", "f16", "launch"})
    EXPECT_TRUE(contains(peaks.out, limit)) << peaks.out;
  const Outcome outcome = folder_.run(std::string(kMeasured) + " --peaks peaks.json");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const Record& row : rows()) {
    const bool computes =
        row.text(columns::phase) == "kernel" || row.text(columns::phase) == "end_to_end";
    for (const char* name : {"roofline_time_us", "roofline_pct", "dense_gemm_pct", "peak_gflops"})
      EXPECT_EQ(real(row, name) > 0, computes) << row.text(columns::case_id) << ' ' << name;
  }
  // Of another device.
  std::string text = read(folder_ / "peaks.json");
  const size_t device = text.find("\"device\": \"") + 11;
  text.insert(device, "other ");
  folder_.write("peaks.json", text);
  const Outcome other = folder_.run(std::string(kMeasured) + " --peaks peaks.json");
  EXPECT_EQ(other.code, 2);
  EXPECT_TRUE(contains(other.err, "other ")) << other.err;
  folder_.write("peaks.json", "{}");
  EXPECT_EQ(folder_.run(std::string(kMeasured) + " --peaks peaks.json").code, 4);
}

/// Half the width of the interval that `selftest` found, in percent.
double believable_pct(const std::string& line) {
  const size_t at = line.find("half its width, ");
  return at == std::string::npos ? 0 : std::atof(line.c_str() + at + 16);
}

// A busy machine may fail a check of times now and then, never each time; but one on which a case
// differs from itself by more than 10 % must fail that check.
TEST_F(Measure, SelftestPassesAndSaysWhatItChecked) {
  Outcome outcome;
  for (int attempt = 0; attempt < 5; ++attempt) {
    outcome = folder_.run("selftest");
    EXPECT_EQ(outcome.code, contains(outcome.out, "FAILED") ? 4 : 0) << outcome.out;
    if (outcome.code == 0) break;
  }
  EXPECT_TRUE(contains(outcome.out, "monitor")) << outcome.out;
  const std::set<std::string> not_on_host{"empty kernel", "blocker and watchdog", "cold read",
                                          "clock stamps"};
  for (const char* name : {"empty kernel", "known duration", "blocker and watchdog", "cold read",
                           "clock stamps", "a case against itself"}) {
    const size_t at = outcome.out.find(name);
    ASSERT_NE(at, std::string::npos) << name << '\n' << outcome.out;
    const std::string line = outcome.out.substr(at, outcome.out.find('\n', at) - at);
    const bool skipped = SPB_ON_HOST && not_on_host.contains(name);
    // A device without a monitor has nothing to compare its clock with.
    if (!SPB_ON_HOST && std::string(name) == "clock stamps") continue;
    if (believable_pct(line) > 10) {
      EXPECT_TRUE(contains(line, " FAILED ")) << line;
      continue;
    }
    EXPECT_TRUE(contains(line, skipped ? " skipped " : " passed ")) << line;
  }
}

}  // namespace
}  // namespace spb::cli
