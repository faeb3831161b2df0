// SPDX-License-Identifier: Apache-2.0
// run and verify: records, streams, exit codes of runs that start.
#include <algorithm>
#include <chrono>
#include <csignal>
#include <gtest/gtest.h>
#include <map>
#include <set>
#include <thread>

#include "program.h"
#include "report/records/csv.h"
#include "report/records/jsonl.h"

namespace spb::cli {
namespace {

constexpr const char* kQuick = " --max-time 0.02 --min-samples 2 --llc-bytes 1000000";

class Run : public testing::Test {
 protected:
  report::RunRecords records(const std::string& out) const {
    const report::JsonlFile file = report::read_jsonl(folder_.path() / out / "records.jsonl");
    EXPECT_EQ(file.runs.size(), 1u);
    return file.runs.at(0);
  }
  TemporaryFolder folder_;
};

TEST_F(Run, EverythingPassesOnASphere) {
  const Outcome outcome = folder_.run(
      std::string("run sphere:8 --dtypes f32,tf32,f16,bf16 --channels 16:32 --out out") + kQuick);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const report::RunRecords run = records("out");
  EXPECT_TRUE(run.context.text_of("command_line").starts_with("spconv-bench run sphere:8 "));
  std::set<std::string> cases;
  std::map<std::string, int> phases;
  for (const Record& row : run.results) {
    EXPECT_EQ(row.text(columns::status), "ok")
        << row.text(columns::case_id) << row.text(columns::status_detail);
    EXPECT_EQ(row.text(columns::verify_status), "pass") << row.text(columns::case_id);
    EXPECT_EQ(row.text(columns::verify_modes), "exact,fp");
    EXPECT_EQ(row.text(columns::run_id), run.context.text(columns::run_id));
    EXPECT_TRUE(std::holds_alternative<double>(row.value(columns::time_median_us)));
    cases.insert(row.text(columns::algorithm) + row.text(columns::direction) +
                 row.text(columns::dtype));
    ++phases[row.text(columns::phase)];
  }
  const int all = static_cast<int>(algorithm_count()) * 3 * 4;
  EXPECT_EQ(cases.size(), static_cast<size_t>(all));
  EXPECT_EQ(phases,
            (std::map<std::string, int>{
                {"end_to_end", all}, {"kernel", 2 * all}, {"map_build", all}, {"plan", all}}));
  ASSERT_TRUE(run.summary);
  EXPECT_EQ(std::get<int64_t>(run.summary->value("exit_code")), 0);
  double verify_s = 0;
  for (const Record& row : run.results)
    if (row.get(columns::phase) == Phase::plan) verify_s += row.get(columns::verify_s).value_or(0);
  EXPECT_GT(verify_s, 0);
  EXPECT_NEAR(run.summary->get(columns::verify_s).value_or(0), verify_s, 1e-9 * verify_s);
  EXPECT_TRUE(contains(outcome.err, " % of it verification\n")) << outcome.err;

  const std::vector<Record> csv = report::read_csv(folder_.path() / "out" / "results.csv");
  ASSERT_EQ(csv.size(), run.results.size());
  EXPECT_EQ(
      std::ranges::count_if(
          csv, [](const Record& row) { return row.value(columns::rank) == Value(int64_t{1}); }),
      3 * 4 * 5);

  // stdout is the table alone; progress is one line per case on stderr.
  EXPECT_TRUE(contains(outcome.out, "masked_implicit_gemm_splitk"));
  EXPECT_FALSE(contains(outcome.out, "[1/" + std::to_string(all) + "]"));
  EXPECT_TRUE(contains(outcome.err, "[" + std::to_string(all) + "/" + std::to_string(all) + "]"));
  EXPECT_TRUE(contains(outcome.err, "wrote "));
  EXPECT_FALSE(contains(outcome.err, "\r"));
}

// Under its name nothing else runs: kernels of tensor cores, or none with a reason.
TEST_F(Run, ThreeTf32ProductsPassOrAreUnsupported) {
  const Outcome outcome =
      folder_.run("verify sphere:8 --dtypes 3xtf32 --channels 16:32,3:5 --out out");
  EXPECT_EQ(outcome.code, SPB_ON_HOST ? 5 : 0) << outcome.err;  // none runs there
  const report::RunRecords run = records("out");
  EXPECT_EQ(run.results.size(), 2 * algorithm_count() * 3);
  for (const Record& row : run.results) {
    const std::string status = row.text(columns::status), detail = row.text(columns::status_detail);
    EXPECT_EQ(row.text(columns::dtype), "3xtf32");
    const std::string algorithm = row.text(columns::algorithm);
    if (algorithm == "explicit_gemm" || algorithm == "gather_scatter") {
      EXPECT_EQ(status, "unsupported");
      EXPECT_TRUE(contains(detail, "takes no dtype 3xtf32")) << detail;
    } else if (status == "unsupported") {
      EXPECT_TRUE(contains(detail, "needs an NVIDIA GPU of sm_80 or newer")) << detail;
    } else {
      EXPECT_EQ(row.text(columns::verify_status), "pass") << row.text(columns::case_id) << detail;
      EXPECT_EQ(row.text(columns::arithmetic_class), "3xtf32");
      EXPECT_TRUE(contains(row.text(columns::kernel), "3xtf32")) << row.text(columns::kernel);
    }
  }
}

// Of one pair per offset, sums are single products, and half the values of a fill are zero.
TEST_F(Run, AScanOfTwoVoxelsIsVerified) {
  folder_.write("two.xyz", "-1 -2 -3\n4 5 6\n");
  for (const char* seed : {"0", "1", "2"}) {
    const Outcome outcome = folder_.run(
        std::string(
            "verify two.xyz --voxel-size 1 --kernel-size 3 --stride 2 --directions wgrad --dtypes "
            "f32 --seed ") +
        seed);
    EXPECT_EQ(outcome.code, 0) << outcome.err << outcome.out;
  }
}

TEST_F(Run, ReproLineRepeatsTheRow) {
  ASSERT_EQ(folder_
                .run("verify sphere:8 --kernel-size 3x1x3 --channels 3:5 --directions dgrad "
                     "--dtypes f16 --algorithms gather_scatter --seed 9 --row-order hash "
                     "--out first")
                .code,
            0);
  const Record first = records("first").results.at(0);
  const std::string repro = first.text(columns::repro);
  ASSERT_TRUE(repro.starts_with("spconv-bench verify sphere:8")) << repro;
  ASSERT_EQ(folder_.run(repro.substr(repro.find(' ') + 1) + " --out second").code, 0);
  const Record second = records("second").results.at(0);
  for (const char* same : {"case_id", "map_hash", "kernel_size", "row_order", "config_hash"})
    EXPECT_EQ(first.text_of(same), second.text_of(same)) << same;
  EXPECT_EQ(first.value(columns::err_max_tol_ratio), second.value(columns::err_max_tol_ratio));
}

TEST_F(Run, KernelIsTheOneAskedFor) {
  const std::string one = "verify sphere:8 --algorithms implicit_gemm --directions fprop ";
  ASSERT_EQ(folder_.run(one + "--kernel fma_64x32x32 --out out").code, 0);
  const Record row = records("out").results.at(0);
  EXPECT_EQ(row.text(columns::kernel), "fma_64x32x32");
  EXPECT_TRUE(row.text(columns::repro).ends_with("--kernel fma_64x32x32"))
      << row.text(columns::repro);

  const Outcome unknown = folder_.run(one + "--kernel fma_64x32x3");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(contains(unknown.err, "did you mean \"fma_64x32x32\"")) << unknown.err;
}

TEST_F(Run, TileOrderIsTheOneAskedFor) {
  const std::string one = "verify sphere:8 --algorithms masked_implicit_gemm --directions fprop ";
  ASSERT_EQ(folder_.run(one + "--tile-order greedy --out out").code, 0);
  const Record row = records("out").results.at(0);
  EXPECT_TRUE(contains(row.text(columns::algorithm_params), "\"order\":\"greedy\""));
  EXPECT_EQ(row.text(columns::variant_source), "forced");
  EXPECT_TRUE(row.text(columns::repro).ends_with("--tile-order greedy"))
      << row.text(columns::repro);

  ASSERT_EQ(
      folder_
          .run("verify sphere:8 --algorithms masked_implicit_gemm,implicit_gemm,gather_scatter "
               "--directions all --tile-order plain --out all")
          .code,
      0);
  for (const Record& any : records("all").results) {
    const bool sorts = any.text(columns::algorithm) == "masked_implicit_gemm" &&
                       any.text(columns::direction) != "wgrad";
    EXPECT_EQ(any.text(columns::status), sorts ? "ok" : "unsupported")
        << any.text(columns::case_id);
    EXPECT_EQ(
        contains(any.text(columns::status_detail), "tile_order plain: no choice of this algorithm"),
        !sorts)
        << any.text(columns::status_detail);
    EXPECT_EQ(contains(any.text(columns::algorithm_params), "\"plain\""), sorts)
        << any.text(columns::case_id);
  }

  const Outcome unknown = folder_.run(one + "--tile-order gredy");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(contains(unknown.err, "did you mean \"greedy\"")) << unknown.err;
}

TEST_F(Run, AtomicReductionIsRefusedWhereThereIsNone) {
  const std::string some = "verify sphere:8 --directions fprop,wgrad ";
  ASSERT_EQ(folder_
                .run(some + "--algorithms gather_scatter,masked_implicit_gemm_splitk "
                            "--reduction atomic --out out")
                .code,
            5);
  for (const Record& row : records("out").results) {
    SCOPED_TRACE(row.text(columns::case_id));
    EXPECT_EQ(row.text(columns::status), "unsupported");  // of f32 on any device
    EXPECT_TRUE(contains(row.text(columns::status_detail), "atomic"))
        << row.text(columns::status_detail);
    EXPECT_TRUE(row.text(columns::repro).ends_with("--reduction atomic"))
        << row.text(columns::repro);
  }
  const Outcome ordered = folder_.run(
      some + "--algorithms masked_implicit_gemm_splitk --reduction ordered --out ordered");
  ASSERT_EQ(ordered.code, 0) << ordered.err;
  EXPECT_EQ(records("ordered").results.at(0).text(columns::status), "ok");

  const Outcome unknown = folder_.run(some + "--reduction atomc");
  EXPECT_EQ(unknown.code, 2);
  EXPECT_TRUE(contains(unknown.err, "did you mean \"atomic\"")) << unknown.err;
}

TEST_F(Run, DefaultFolderIsNamedAfterTheRun) {
  const Outcome outcome = folder_.run(
      std::string("run sphere:8 --algorithms implicit_gemm --directions fprop") + kQuick);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "wrote results/")) << outcome.err;
  EXPECT_TRUE(std::filesystem::is_directory(folder_.path() / "results"));
}

TEST_F(Run, QuietAndVerbose) {
  const std::string one = "verify sphere:8 --algorithms implicit_gemm --directions fprop";
  EXPECT_EQ(folder_.run(one + " -q").err, "");
  const std::string verbose = folder_.run(one + " -v").err;
  EXPECT_TRUE(contains(verbose, "[1/1] sphere:8/subm-k3-s1-d1/c16x32/fprop/f32/implicit_gemm ..."))
      << verbose;
}

TEST_F(Run, DryRunRunsNothing) {
  const Outcome outcome = folder_.run("run sphere:16 --dtypes f16 --dry-run --out out");
  const auto cases = static_cast<int>(3 * algorithm_count());  // of 2 s each, or 20
  const auto about = [](int seconds) {
    return "about " + std::to_string(seconds / 60) + (seconds % 60 < 10 ? ":0" : ":") +
           std::to_string(seconds % 60) + " at most";
  };
  EXPECT_TRUE(contains(outcome.out, about(2 * cases))) << outcome.out;
  EXPECT_TRUE(contains(folder_.run("run sphere:16 --dtypes f16 --dry-run --max-time 20s").out,
                       about(20 * cases)));
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_EQ(count_lines(outcome.out), 1 + 3 * algorithm_count());
  EXPECT_TRUE(contains(outcome.out, "n_pairs 10544"));
  EXPECT_TRUE(contains(outcome.out, " kB"));
  EXPECT_FALSE(std::filesystem::exists(folder_.path() / "out"));
}

TEST_F(Run, SuiteFileUnderTheCommandLine) {
  const std::string suite = folder_.write("suite.toml",
                                          "datasets = [\"sphere:8\"]\n"
                                          "algorithms = [\"gather_scatter\"]\n"
                                          "dtypes = [\"f16\", \"bf16\"]\n"
                                          "directions = \"fprop\"\n");
  EXPECT_EQ(count_lines(folder_.run("run --dry-run --config " + suite).out), 3u);
  EXPECT_EQ(count_lines(folder_.run("run --dry-run --dtypes f32 --config " + suite).out), 2u);
  EXPECT_EQ(count_lines(folder_.run("run --dry-run --filter */bf16/* --config " + suite).out), 2u);
}

TEST_F(Run, InterruptKeepsWhatIsDone) {
  Program program(std::string("run sphere:16 --dtypes all --out out") + kQuick, folder_.path());
  const auto file = folder_.path() / "out" / "results.csv";
  for (int i = 0; i < 600 && (!std::filesystem::exists(file) || count_lines(read(file)) < 4); ++i)
    std::this_thread::sleep_for(std::chrono::milliseconds(100));
  program.send(SIGINT);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, "interrupted: waiting for the case")) << outcome.err;
  const report::RunRecords run = records("out");
  EXPECT_GE(run.results.size(), 3u);
  EXPECT_LT(run.results.size(), algorithm_count() * 36);
  ASSERT_TRUE(run.summary);
  EXPECT_EQ(std::get<int64_t>(run.summary->value("exit_code")), 130);
}

TEST_F(Run, RealScan) {
  const std::filesystem::path scan =
      std::filesystem::path(SPB_SOURCE_DIR) / "../shared/data/room_scan1.pcd";
  if (!std::filesystem::exists(scan)) GTEST_SKIP() << scan << " is not here";
  const Outcome outcome = folder_.run(
      "verify " + scan.string() + " --voxel-size 0.2 --dtypes f16 --directions wgrad --out out");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  const Record row = records("out").results.at(0);
  EXPECT_EQ(row.text(columns::dataset), "room_scan1.pcd");
  EXPECT_EQ(row.text(columns::dataset_sha256),
            "52c373a67d8beaa318b5e8c024f06e219f14acc1db28fa7333ff5dc73840428b");
}

TEST_F(Run, MapVariantsAreVerifiedAndTimeMapsAlone) {
  const Outcome outcome = folder_.run(
      std::string("run sphere:8 --map-variant default,key64,load50,load25,half,cells --channels 16 "
                  "--dtypes f32 --directions fprop --stride 1,2 --algorithms gather_scatter "
                  "--no-isolate --runs 1 --out out") +
      kQuick);
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  std::map<std::string, std::set<std::string>> phases;
  for (const Record& row : records("out").results) {
    const std::string variant = row.text(columns::map_variant);
    const std::string of = row.text(columns::conv_kind) + ' ' + variant;
    if (of == "strided half") {
      EXPECT_EQ(row.text(columns::status), "unsupported");
      EXPECT_TRUE(contains(row.text(columns::status_detail), "only a submanifold map"));
    } else {
      EXPECT_EQ(row.text(columns::status), "ok") << of;
      EXPECT_EQ(row.text(columns::verify_status), "pass") << of;
    }
    EXPECT_EQ(contains(row.text(columns::repro), "--map-variant " + variant), !variant.empty());
    EXPECT_EQ(contains(row.text(columns::case_id), '+' + variant + "/c16x16"), !variant.empty());
    phases[of].insert(row.text(columns::phase));
  }
  const std::set<std::string> maps{"map_build", "plan"};
  EXPECT_EQ(phases.size(), 12u);
  EXPECT_TRUE(phases["subm "].contains("kernel"));
  for (const char* of : {"subm key64", "subm load50", "subm load25", "subm half", "subm cells",
                         "strided key64", "strided cells"})
    EXPECT_EQ(phases[of], maps) << of;

  const Outcome wrong = folder_.run("run sphere:8 --map-variant halve");
  EXPECT_EQ(wrong.code, 2);
  EXPECT_TRUE(contains(wrong.err, "--map-variant: \"halve\" is unknown; did you mean \"half\"?"))
      << wrong.err;
}

}  // namespace
}  // namespace spb::cli
