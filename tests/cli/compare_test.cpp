// SPDX-License-Identifier: Apache-2.0
// compare, as a CI job runs it.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <thread>

#include "program.h"
#include "report/compared.h"
#include "report/records/csv.h"

namespace spb::cli {
namespace {

class Compare : public testing::Test {
 protected:
  void write(const std::string& name, const std::vector<Record>& rows) const {
    report::write_csv(folder_ / name, rows);
  }
  TemporaryFolder folder_;
};

Record row(const std::string& algorithm, double time_us) {
  return report::kernel_row(algorithm, time_us);
}

TEST_F(Compare, EachExitCode) {
  write("base.csv", {row("a", 100), row("b", 100)});
  write("slow.csv", {row("a", 120), row("b", 100)});
  write("maybe.csv", {row("a", 103), row("b", 100)});
  write("maybe_slow.csv", {row("a", 103), row("b", 120)});
  write("wrong.csv", {row("a", 100), report::failed_row("b", "incorrect")});
  write("crash.csv", {row("a", 100), report::failed_row("b", "error")});
  write("less.csv", {row("a", 100)});
  write("else.csv", {row("z", 100)});
  folder_.write("newer.csv", "schema_version,c_in\n99.0,x\n");
  folder_.write("damaged.csv", "schema_version,c_in\n1.0,x\n");
  const struct {
    const char* words;
    int code;
    const char* out;
    const char* err;
  } cases[] = {
      {"base.csv base.csv", 0, "2 same", ""},
      {"base.csv base.csv", 0, "only drift within a process was seen; compare --ab OLD NEW", ""},
      {"base.csv slow.csv --process-drift 1%", 3, "1 % between processes, as stated", "1 slower"},
      {"base.csv slow.csv --process-drift 10%", 6, "1 same, 1 inconclusive", "undecided"},
      {"base.csv base.csv --process-drift x", 2, "", "--process-drift: \"x\" is no share"},
      {"base.csv less.csv", 0, "1 missing", ""},
      {"base.csv less.csv --strict", 3, "the gate fails: 1 missing", "the gate fails"},
      {"base.csv slow.csv", 3, "1 slower", "error: the gate fails: 1 slower"},
      {"base.csv slow.csv --threshold 25%", 0, "2 same", ""},
      {"base.csv slow.csv --floor 0.1ms", 0, "2 same", ""},
      {"base.csv slow.csv --filter */b/*", 0, "1 rows matched", ""},
      {"base.csv slow.csv --fail-on memory", 0, "1 slower", ""},
      {"base.csv maybe.csv", 6, "the gate is undecided: 1 inconclusive",
       "error: the gate is undecided: 1 inconclusive; measure longer"},
      {"base.csv maybe.csv --fail-on slower", 0, "the gate passes", "warning: 1 rows are incon"},
      {"base.csv maybe.csv --threshold 4%", 0, "2 same", ""},
      {"base.csv maybe_slow.csv", 3, "the gate fails: 1 slower, 1 inconclusive", "1 slower"},
      {"base.csv wrong.csv", 1, "1 incorrect", "error: the gate fails: 1 incorrect"},
      {"base.csv wrong.csv --filter */kernel/*", 1, "1 incorrect", "1 incorrect"},
      {"base.csv wrong.csv --fail-on memory", 1, "1 incorrect", "1 incorrect"},
      {"base.csv crash.csv", 4, "1 error", "1 error"},
      {"base.csv else.csv", 5, "", "have no row in common"},
      {"base.csv base.csv --filter */z/*", 5, "", "--filter"},
      {"base.csv newer.csv", 2, "", "schema 99.0"},
      {"base.csv damaged.csv", 4, "", "damaged.csv:2"},
      {"base.csv none.csv", 4, "", "none.csv: does not exist"},
      {"base.csv", 2, "", "NEW is required"},
      {"base.csv base.csv --fail-on slowr", 2, "", "did you mean \"slower\"?"},
      {"base.csv base.csv --allow-mismatch gpus", 2, "", "did you mean \"gpu\"?"},
      {"base.csv base.csv --reference aa", 2, "", "did you mean \"a\"?"},
      {"base.csv base.csv --reference a", 0, "2 same", ""},
      {"base.csv base.csv --color nevr", 2, "", "did you mean \"never\"?"},
      {"base.csv base.csv --threshold 3x", 2, "", "--threshold: \"3x\" is no share; write 3%"},
      {"base.csv base.csv --floor -1us", 2, "", "--floor"},
  };
  for (const auto& one : cases) {
    const Outcome outcome = folder_.run(std::string("compare ") + one.words);
    EXPECT_EQ(outcome.code, one.code) << one.words << "\n" << outcome.err;
    EXPECT_TRUE(contains(outcome.out, one.out)) << one.words << "\n" << outcome.out;
    EXPECT_TRUE(contains(outcome.err, one.err)) << one.words << "\n" << outcome.err;
    EXPECT_EQ(count_lines(outcome.err), *one.err ? 1u : 0u) << one.words << "\n" << outcome.err;
  }
}

TEST_F(Compare, AFailedCaseStandsForItsRowsOfEveryPhase) {
  write("wrong.csv", {report::failed_row("a", "incorrect")});
  for (const char* end :
       {"map_build", "plan", "kernel/cold", "kernel/hot", "end_to_end", "step/4"}) {
    Record one = row("a", 100);
    const std::string phase = std::string(end).substr(0, std::string(end).find('/'));
    one[columns::case_id] = std::string("sphere:8/a/") + end;
    one[columns::phase] = parse_phase(phase);
    if (phase != "kernel") one[columns::cache] = CacheState::none;
    if (phase == "step") one[columns::layers] = 4;
    write("base.csv", {one});
    const Outcome outcome =
        folder_.run(std::string("compare base.csv wrong.csv --filter */") + end);
    EXPECT_EQ(outcome.code, 1) << end << "\n" << outcome.err;
  }
  EXPECT_EQ(folder_.run("compare base.csv wrong.csv --filter */step/*").code, 1);
}

TEST_F(Compare, WithANamedBaseline) {
  write("one/results.csv", {row("a", 100)});
  write("slow/results.csv", {row("a", 120)});
  folder_.write("one/samples.csv",
                "run_id,case_id,round,sample,set,time_ns,sm_clock_mhz,throttled,outlier\n");
  const Outcome none = folder_.run("compare --baseline main slow");
  EXPECT_EQ(none.code, 2);
  EXPECT_TRUE(contains(none.err, ".spconv-bench/baselines holds no baseline; make one"))
      << none.err;

  EXPECT_EQ(folder_.run("compare --save-baseline main one").code, 0);
  const std::string kept = folder_ / ".spconv-bench/baselines/main/";
  EXPECT_EQ(read(kept + "results.csv"), read(folder_ / "one/results.csv"));
  EXPECT_EQ(read(kept + "samples.csv"), read(folder_ / "one/samples.csv"));
  const Outcome slower = folder_.run("compare --baseline main slow");
  EXPECT_EQ(slower.code, 3) << slower.err;
  EXPECT_TRUE(contains(slower.out, "BASE .spconv-bench/baselines/main")) << slower.out;

  // Another run takes its place, samples and all.
  EXPECT_EQ(folder_.run("compare --save-baseline main slow/results.csv").code, 0);
  EXPECT_FALSE(std::filesystem::exists(kept + "samples.csv"));
  EXPECT_EQ(folder_.run("compare --baseline main slow").code, 0);

  EXPECT_EQ(folder_.run("compare --save-baseline v1 one --baselines b").code, 0);
  EXPECT_EQ(folder_.run("compare --baseline v1 slow --baselines b").code, 3);
}

TEST_F(Compare, ABaselineOfSeveralCompressedRuns) {
  const std::string record =
      read(std::string(SPB_SOURCE_DIR) + "/reports/host/demo/records.jsonl.xz");
  for (const char* run : {"runs/a", "runs/b"}) {
    std::filesystem::create_directories(folder_ / run);
    folder_.write(std::string(run) + "/records.jsonl.xz", record);
  }
  EXPECT_EQ(folder_.run("compare --save-baseline two runs").code, 0);
  for (const char* run : {"a", "b"})
    EXPECT_EQ(
        read(folder_ / (std::string(".spconv-bench/baselines/two/") + run + "/records.jsonl.xz")),
        record);
  const Outcome same = folder_.run("compare --baseline two runs");
  EXPECT_EQ(same.code, 0) << same.err;
}

TEST_F(Compare, ABaselineThatCannotBe) {
  write("base.csv", {row("a", 100)});
  write("empty.csv", {});
  ASSERT_EQ(folder_.run("compare --save-baseline main base.csv").code, 0);
  const struct {
    const char* words;
    int code;
    const char* err;
  } cases[] = {
      {"--baseline mian base.csv", 2, "did you mean \"main\"?; .spconv-bench/baselines has main"},
      {"--baseline main base.csv base.csv", 2, "base.csv: is one argument too many"},
      {"--save-baseline x base.csv base.csv", 2, "base.csv: is one argument too many"},
      {"--save-baseline a/b base.csv", 2, "--save-baseline: \"a/b\" is no name of a folder"},
      {"--save-baseline .. base.csv", 2, "\"..\" is no name"},
      {"--save-baseline x none.csv", 4, "none.csv: does not exist"},
      {"--save-baseline x empty.csv", 5, "empty.csv: no rows"},
      {"--save-baseline x base.csv --baselines base.csv", 4, "cannot be written"},
      {"--baseline main --save-baseline x base.csv", 2, "--save-baseline"},
      {"--baseline main base.csv --ab", 2, "--ab"},
  };
  for (const auto& one : cases) {
    const Outcome outcome = folder_.run(std::string("compare ") + one.words);
    EXPECT_EQ(outcome.code, one.code) << one.words << "\n" << outcome.err;
    EXPECT_TRUE(contains(outcome.err, one.err)) << one.words << "\n" << outcome.err;
    EXPECT_EQ(count_lines(outcome.err), 1u) << outcome.err;
  }
}

TEST_F(Compare, ARunWithItself) {
  const Outcome made = folder_.run(
      "run cube:4 --algorithms gather_scatter,implicit_gemm --directions fprop --dtypes f32 "
      "--channels 4 --max-time 0.05 --no-isolate --out base");
  ASSERT_EQ(made.code, 0) << made.err;
  for (const char* words : {"compare base base", "compare base base/results.csv",
                            "compare base/records.jsonl base --seed 5"}) {
    const Outcome outcome = folder_.run(words);
    EXPECT_EQ(outcome.code, 0) << outcome.err;  // equal times are the same, however noisy
    EXPECT_TRUE(contains(outcome.out, "0 only in BASE, 0 only in NEW")) << outcome.out;
    EXPECT_FALSE(contains(outcome.out, "slower,")) << outcome.out;
    EXPECT_EQ(outcome.out, folder_.run(words).out);  // the same each time
  }
}

TEST_F(Compare, AGpuWithTheHostOnlyWhenAsked) {
  std::vector<Record> host{row("explicit_gemm", 98765), row("a", 49382.5)};
  for (Record& one : host) {
    one[columns::backend] = "host";
    one[columns::gpu_name] = "AMD EPYC";
    one[columns::driver_version] = "6.1";
    one[columns::timing_method] = "host_wall";
  }
  write("gpu.csv", {row("explicit_gemm", 123), row("a", 41)});
  write("host.csv", host);
  const Outcome refused = folder_.run("compare gpu.csv host.csv");
  EXPECT_EQ(refused.code, 5);
  EXPECT_EQ(refused.out, "");
  for (const char* part :
       {"gpu (NVIDIA H200 / AMD EPYC)", "driver (580 / 6.1)", "--allow-mismatch gpu compares"})
    EXPECT_TRUE(contains(refused.err, part)) << part << refused.err;
  const Outcome allowed = folder_.run("compare gpu.csv host.csv --allow-mismatch gpu");
  EXPECT_EQ(allowed.code, 0) << allowed.err;
  for (const char* part : {"2 relative", "3.00", "2.00", "AMD EPYC (host)"})
    EXPECT_TRUE(contains(allowed.out, part)) << part << allowed.out;
  for (const char* time : {"123 ", "41.0", "98.8", "49.4"})
    EXPECT_FALSE(contains(allowed.out, time)) << time << allowed.out;
}

TEST_F(Compare, TwoGpusAsATableOfSpeedups) {
  std::vector<Record> other{row("explicit_gemm", 60), row("a", 30)};
  for (Record& one : other) one[columns::gpu_name] = "NVIDIA B200";
  write("h200.csv", {row("explicit_gemm", 120), row("a", 40)});
  write("b200.csv", other);
  EXPECT_EQ(folder_.run("compare h200.csv b200.csv").code, 5);
  const Outcome outcome = folder_.run("compare h200.csv b200.csv --allow-mismatch gpu");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part :
       {"speedup on NVIDIA H200", "speedup on NVIDIA B200", "0.500", "0.750", "3.00", "2.00"})
    EXPECT_TRUE(contains(outcome.out, part)) << part << outcome.out;
}

TEST_F(Compare, WritesWhatCiServicesRead) {
  write("base.csv", {row("a", 100)});
  write("slow.csv", {row("a", 120)});
  const Outcome outcome =
      folder_.run("compare base.csv slow.csv --json c.json --md c.md --junit c/c.xml");
  EXPECT_EQ(outcome.code, 3);
  EXPECT_TRUE(contains(read(folder_ / "c.json"), "\"exit_code\": 3"));
  EXPECT_TRUE(read(folder_ / "c.md").starts_with("# 1 slower"));
  EXPECT_TRUE(contains(read(folder_ / "c/c.xml"), "failures=\"1\""));
  EXPECT_TRUE(contains(outcome.err, "wrote c.json"));
  const Outcome piped = folder_.run("compare base.csv slow.csv --json - --quiet");
  EXPECT_EQ(piped.out, read(folder_ / "c.json"));
}

TEST_F(Compare, TwoProgramsInTurns) {
  const std::string programs = std::string(SPB_PROGRAM) + " " + SPB_PROGRAM;
  const std::string run =
      " -- run cube:4 --algorithms gather_scatter --directions fprop --channels 4 --max-time 0.05 "
      "--no-isolate --rounds 2";
  const Outcome outcome =
      folder_.run("compare --ab " + programs +
                  " --out ab --json ab.json --threshold 500% --fail-on slower" + run);
  EXPECT_EQ(outcome.code, 0) << outcome.out << outcome.err;
  for (const char* folder : {"ab/base-0", "ab/base-1", "ab/new-0", "ab/new-1"})
    EXPECT_TRUE(contains(read(folder_ / (std::string(folder) + "/records.jsonl")), "kernel"));
  EXPECT_TRUE(contains(read(folder_ / "ab.json"), "\"resampled\": true"));
  EXPECT_TRUE(contains(read(folder_ / "ab.json"), "\"source\": \"measured\""));
  EXPECT_TRUE(contains(outcome.out, "standard deviation, 2 of BASE and 2 of NEW")) << outcome.out;
  EXPECT_LT(outcome.err.find("[4/4]"), outcome.err.size());
  for (const std::string& words :
       {"compare --ab " + programs, "compare --ab " + programs + " -- list algorithms",
        "compare --ab none none" + run, "compare a b" + run,
        std::string("compare a b --pairs 3")}) {
    const Outcome wrong = folder_.run(words);
    const bool absent = contains(words, "none none");
    EXPECT_EQ(wrong.code, absent ? 4 : 2) << words << wrong.err;
    EXPECT_EQ(count_lines(wrong.err), absent ? 2u : 1u) << wrong.err;
  }
}

TEST_F(Compare, ProgramsAreFoundOnThePath) {
  const std::filesystem::path program = SPB_PROGRAM;
  const std::string name = program.filename();
  folder_.write("step.sh",
                "PATH=" + program.parent_path().string() + ":$PATH " + name + " compare --ab " +
                    name + " " + name +
                    " --pairs 1 --out ab --threshold 900% --fail-on slower -- run cube:4 "
                    "--algorithms gather_scatter --directions fprop --channels 4 "
                    "--max-time 0.02 --no-isolate\n");
  const Outcome outcome = Program("/bin/sh", "step.sh", folder_.path()).wait();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(read(folder_ / "ab/new-0/records.jsonl"), "kernel"));
}

TEST_F(Compare, AnInterruptReachesTheProgramThatRuns) {
  const std::string programs = std::string(SPB_PROGRAM) + " " + SPB_PROGRAM;
  const std::string records = folder_ / "ab/base-0/records.jsonl";
  Program program("compare --ab " + programs +
                      " --out ab -- run cube:4 --kernel-size 3,5 --channels 4 --max-time 0.5 "
                      "--no-isolate",
                  folder_.path());
  while (program.is_running() && !contains(read(records), "case_end"))
    std::this_thread::sleep_for(std::chrono::milliseconds(5));
  program.send(SIGTERM);
  const Outcome outcome = program.wait_for(60);
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_TRUE(outcome.err.ends_with("error: interrupted\n")) << outcome.err;
  EXPECT_TRUE(contains(read(records), "\"interrupted\":true")) << "it was waited for";
  EXPECT_FALSE(std::filesystem::exists(folder_ / "ab/new-0"));
}

TEST_F(Compare, AProgramThatStopsIsEnded) {
  const std::string program = SPB_CRASHING_PROGRAM;
  const Outcome outcome =
      Program("compare --ab " + program + " " + program +
                  " --out ab --timeout 2 -- run cube:4 --algorithms hang --directions fprop "
                  "--channels 4 --no-isolate",
              folder_.path())
          .wait_for(120);
  EXPECT_EQ(outcome.code, 4) << outcome.err;
  EXPECT_TRUE(contains(outcome.err, program + ": took longer than 2 s")) << outcome.err;
  EXPECT_EQ(folder_.run("compare a b --timeout 2").code, 2) << "it belongs to --ab";
}

TEST_F(Compare, ColorOnlyWhenAskedFor) {
  write("base.csv", {row("a", 100)});
  write("slow.csv", {row("a", 120)});
  EXPECT_FALSE(contains(folder_.run("compare base.csv slow.csv").out, "\033"));
  const Outcome colored = folder_.run("compare base.csv slow.csv --color always");
  EXPECT_TRUE(contains(colored.out, "\033[31msphere:8/a/"));
  EXPECT_TRUE(contains(colored.err, "\033["));
}

}  // namespace
}  // namespace spb::cli
