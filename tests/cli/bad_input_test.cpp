// SPDX-License-Identifier: Apache-2.0
// Every bad input: one clear line, its exit code, no lost record.
#include <chrono>
#include <cstring>
#include <gtest/gtest.h>
#include <limits>

#include "program.h"
#include "report/records/jsonl.h"

namespace spb::cli {
namespace {

class BadInput : public testing::Test {
 protected:
  /// One line on stderr that begins with "error: " and holds `parts`.
  void expect_error(const std::string& words, int code, const std::vector<std::string>& parts) {
    const Outcome outcome = folder_.run(words);
    EXPECT_EQ(outcome.code, code) << words << '\n' << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("error: ")) << outcome.err;
    EXPECT_EQ(count_lines(outcome.err), 1u) << outcome.err;
    for (const std::string& part : parts)
      EXPECT_TRUE(contains(outcome.err, part)) << part << " in: " << outcome.err;
  }
  /// The same of what must not take its time: no limit of a reader is a limit of patience.
  void expect_quick_error(const std::string& words, int code,
                          const std::vector<std::string>& parts) {
    const auto begin = std::chrono::steady_clock::now();
    expect_error(words, code, parts);
    EXPECT_LT(std::chrono::steady_clock::now() - begin, std::chrono::seconds(10)) << words;
  }
  /// The same with one case: the error stands in its record too.
  void expect_error_row(const std::string& data, const std::vector<std::string>& parts) {
    const Outcome outcome = folder_.run(
        "run --voxel-size 1 --algorithms implicit_gemm "
        "--directions fprop --out out " +
        data);
    EXPECT_EQ(outcome.code, 4) << outcome.err;
    EXPECT_TRUE(outcome.err.starts_with("error: ")) << outcome.err;
    const report::JsonlFile file = report::read_jsonl(folder_.path() / "out" / "records.jsonl");
    ASSERT_EQ(file.runs.size(), 1u);
    ASSERT_EQ(file.runs[0].results.size(), 1u);
    const Record& row = file.runs[0].results[0];
    EXPECT_EQ(row.text(columns::status), "error");
    EXPECT_EQ(row.text(columns::algorithm), "implicit_gemm");
    EXPECT_TRUE(file.runs[0].summary);
    for (const std::string& part : parts)
      EXPECT_TRUE(contains(row.text(columns::status_detail), part))
          << row.text(columns::status_detail);
  }
  std::string floats(const std::vector<float>& values) const {
    std::string bytes(values.size() * 4, '\0');
    std::memcpy(bytes.data(), values.data(), bytes.size());
    return bytes;
  }
  TemporaryFolder folder_;
};

TEST_F(BadInput, TruncatedFile) {
  expect_error_row(folder_.write("cut.bin", std::string(30, 'x')), {"cut.bin", "30"});
}

TEST_F(BadInput, WrongMagic) {
  expect_error_row(folder_.write("wrong.npy", "this is no array at all, not even a bit of one"),
                   {"wrong.npy"});
}

TEST_F(BadInput, DirectoryAsFile) {
  std::filesystem::create_directory(folder_.path() / "scan.bin");
  expect_error_row(folder_ / "scan.bin", {"directory"});
}

TEST_F(BadInput, OnlyNanPoints) {
  const float nan = std::numeric_limits<float>::quiet_NaN();
  expect_error_row(folder_.write("nan.bin", floats({nan, nan, nan, 0, nan, nan, nan, 0})),
                   {"finite"});
}

TEST_F(BadInput, UnknownExtension) {
  expect_error_row(folder_.write("scan.laz", "LASF"), {"scan.laz"});
}

TEST_F(BadInput, OneBadFileAmongGoodData) {
  const std::string bad = folder_.write("cut.bin", "123");
  const Outcome outcome = folder_.run(
      "verify --voxel-size 1 --algorithms implicit_gemm --directions "
      "fprop --out out " +
      bad + " sphere:8");
  EXPECT_EQ(outcome.code, 4);
  const report::JsonlFile file = report::read_jsonl(folder_.path() / "out" / "records.jsonl");
  ASSERT_EQ(file.runs.at(0).results.size(), 2u);
  EXPECT_EQ(file.runs[0].results[0].text(columns::status), "error");
  EXPECT_EQ(file.runs[0].results[1].text(columns::status), "ok");
}

TEST_F(BadInput, FailFastSkipsTheRestButRecordsIt) {
  const std::string bad = folder_.write("cut.bin", "123");
  const Outcome outcome = folder_.run(
      "verify --voxel-size 1 --algorithms implicit_gemm --directions "
      "fprop --fail-fast --out out " +
      bad + " sphere:8");
  EXPECT_EQ(outcome.code, 4);
  const report::JsonlFile file = report::read_jsonl(folder_.path() / "out" / "records.jsonl");
  ASSERT_EQ(file.runs.at(0).results.size(), 2u);
  EXPECT_EQ(file.runs[0].results[1].text(columns::status), "skipped");
}

TEST_F(BadInput, NamesOfFilesBreakNoLine) {
  const std::string shown = "line break?.xyz";
  folder_.write("line\nbreak\x1b.xyz", "1 2 3\n4 5 6\n");
  folder_.write("other.xyz", "1 2 3\n");
  const auto run = [&](const std::string& words) {
    folder_.write("step.sh", std::string(SPB_PROGRAM) + " " + words + " --voxel-size 1\n");
    const Outcome outcome = Program("/bin/sh", "step.sh", folder_.path()).wait();
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_FALSE(contains(outcome.out + outcome.err, "line\n")) << outcome.out << outcome.err;
    EXPECT_FALSE(contains(outcome.out + outcome.err, "\x1b")) << outcome.out << outcome.err;
    return outcome.out + outcome.err;
  };
  const std::string of_run = " --algorithms implicit_gemm --directions fprop,dgrad --channels 4 ";
  const std::string inspected = run("inspect *.xyz");
  EXPECT_TRUE(contains(inspected, shown + ": 2 voxels")) << inspected;
  EXPECT_TRUE(contains(inspected, "warning: " + shown)) << inspected;
  EXPECT_TRUE(contains(run("verify line*" + of_run), "all cases: " + shown));
  EXPECT_TRUE(contains(run("verify *.xyz" + of_run), '\n' + shown));
  EXPECT_TRUE(run("run --dry-run line*" + of_run).starts_with("line break?@1/"));
}

TEST_F(BadInput, MissingVoxelSizeIsAUsageError) {
  const std::string scan = folder_.write("scan.bin", floats({1, 2, 3, 0}));
  EXPECT_EQ(folder_.run("verify " + scan).code, 2);
  expect_error("inspect " + scan, 2, {"--voxel-size"});
}

TEST_F(BadInput, AGridThatCannotBeIsAUsageErrorBeforeAnyWork) {
  folder_.write("scan.bin", floats({1, 2, 3, 0}));
  folder_.write("mesh.obj", "v 0 0 0\nv 1 0 0\nv 0 1 0\nf 1 2 3\n");
  EXPECT_EQ(folder_.run("generate sphere:4 --out voxels.npy").code, 0);
  const struct {
    const char* arguments;
    const char* found;
  } cases[] = {
      {"scan.bin --voxel-size 0.1x0.1", "--voxel-size: \"0.1x0.1\" is no size above 0"},
      {"scan.bin --voxel-size 0.1x0.1x-1", "--voxel-size: \"0.1x0.1x-1\" is no size above 0"},
      {"scan.bin --voxel-size nan", "--voxel-size: \"nan\" is no size above 0"},
      {"scan.bin --voxel-size 1 --range -1,-1:1,1", "--range: \"-1,-1:1,1\" is no range"},
      {"scan.bin --voxel-size 1 --range 0,0,0:1,nan,1", "--range: \"0,0,0:1,nan,1\" is no range"},
      {"scan.bin --voxel-size 1 --range 0,4,0:1,3,1", "--range: goes from 4 to 3 on the second"},
      {"scan.bin --voxel-size 5 --range 0,0,0:4,4,9", "--range: spans 4 on the first axis, less"},
      {"scan.bin --voxel-size 1 --frame polar", "--frame: frame \"polar\" is unknown"},
      {"scan.bin --range 0,0,0:4,4,9", "--voxel-size: missing"},
      {"scan.bin --resolution 4 --voxel-size 1", "--voxel-size"},
      {"scan.bin --resolution 4 --range 0,0,0:4,4,9", "--range: --resolution"},
      {"voxels.npy --voxel-size 1 --range 0,0,0:4,4,9", "--range: voxels.npy holds voxels"},
      {"voxels.npy --frame cylinder", "--frame: voxels.npy holds voxels"},
      {"sphere:8 --range 0,0,0:4,4,9", "--range: sphere:8 makes voxels"},
      {"mesh.obj --voxel-size 1 --range 0,0,0:4,4,9", "--range: mesh.obj is a mesh"},
  };
  for (const auto& one : cases) {
    expect_error(std::string("inspect ") + one.arguments, 2, {one.found});
    const Outcome run =
        folder_.run(std::string("run --no-isolate --directions fprop ") + one.arguments);
    EXPECT_EQ(run.code, 2) << one.arguments;
    EXPECT_TRUE(contains(run.err, one.found)) << one.arguments << ": " << run.err;
  }
  expect_error("inspect scan.bin --voxel-size 1 --range 5,5,5:9,9,9", 4,
               {"scan.bin: --range 5,5,5:9,9,9: holds none of 1 points"});
}

TEST_F(BadInput, ValuesBeyondSenseAreRefusedInTheToolsOwnWords) {
  expect_error("run sphere:8 --channels 16:1073741824", 2, {"--channels", "262144"});
  expect_error("run sphere:8 --kernel-size 1001", 2, {"2^20 offsets"});
  expect_error("run sphere:8 --groups 3 --channels 64:64", 2, {"3 does not divide 64"});
  expect_error("run sphere:8 --groups depthwise", 2, {"channels 16:32: depthwise"});
  expect_error("run sphere:8 --groups 0", 2, {"--groups: "});
  expect_error("run sphere:8 --llc-bytes 1MB", 2, {"--llc-bytes: \"1MB\" is no whole number"});
  expect_error("run sphere:8 --llc-bytes 9223372036854775807", 2, {"from 1 to 1099511627776"});
  expect_error("run sphere:8 --verify-macs nan", 2, {"--verify-macs: \"nan\" is no number"});
  expect_error("run sphere:8 --rounds many", 2, {"--rounds: \"many\" is no whole number"});
  expect_error("tune sphere:8 --tuning off", 2, {"--tuning", "off is no file"});
  expect_error("run sphere:8 --no-verify --shapes on", 2, {"--shapes: nothing is verified"});
}

TEST_F(BadInput, FilesOfAnotherKindAreNamedInOurOwnWords) {
  folder_.write("other.json", "{\"a\": 1}");
  for (const char* option : {"--peaks", "--tuning"}) {
    const Outcome outcome = folder_.run(std::string("run sphere:4 ") + option + " other.json");
    EXPECT_EQ(outcome.code, 4);
    EXPECT_TRUE(contains(outcome.err, "other.json: is no file of spconv-bench")) << outcome.err;
    EXPECT_FALSE(contains(outcome.err, "exception")) << outcome.err;
  }
  std::filesystem::create_directory(folder_.path() / "suite.toml");
  expect_error("run --config suite.toml", 4, {"suite.toml: is a directory, expected a file"});
}

TEST_F(BadInput, ADryRunRefusesWhatARunDoes) {
  for (const char* option : {"--budget 10y", "--device x", "--rest -1"})
    expect_error(std::string("run sphere:4 --dry-run ") + option, 2, {});
  expect_error("run sphere:4 --dry-run --tuning nowhere.json", 4, {"nowhere.json"});
}

TEST_F(BadInput, ADeviceIsNoTuningFile) {
  expect_error("tune sphere:4 --tuning /dev/null", 4, {"/dev/null", "regular file"});
  EXPECT_FALSE(std::filesystem::exists("/dev/null.lock"));
}

TEST_F(BadInput, DataAreNamedWhateverIsWrongWithThem) {
  folder_.write("far.xyz", "1 2 3\n1e30 2 3\n");
  expect_error("inspect sphere:4 far.xyz --voxel-size 1", 4, {"far.xyz: point 1 at (1e+30, 2, 3)"});
}

TEST_F(BadInput, UnknownNamesComeWithTheNearest) {
  expect_error("run sphere:8 --algorithms implicit_gem", 2, {"did you mean \"implicit_gemm\"?"});
  expect_error("run sphere:8 --dtypes fp17", 2, {"--dtypes", "did you mean \"f16\"?"});
  expect_error("run sphere:8 --directions fprob", 2, {"did you mean \"fprop\"?"});
  expect_error("run sphere:8 --chanels 3", 2, {"did you mean \"--channels\"?"});
  expect_error("runn", 2, {"did you mean \"run\"?"});
  expect_error("list algorithm", 2, {"did you mean \"algorithms\"?"});
  expect_error("run spere:8", 4, {"no such file"});
  expect_error("run nowhere.bin", 4, {"nowhere.bin", "no such file"});
}

// A file that is not there is no wrong usage, whichever command reads it.
TEST_F(BadInput, AnAbsentFileIsExitCode4InEveryCommand) {
  for (const char* words :
       {"run nowhere.bin", "verify nowhere.bin", "inspect nowhere.bin",
        "generate nowhere.bin --out a.npy", "tune nowhere.bin", "report nowhere -o out",
        "compare nowhere nowhere", "run --config nowhere.toml", "run sphere:8 --peaks nowhere.json",
        "run sphere:8 --tuning nowhere.json", "list tuning --tuning nowhere.json"})
    expect_error(words, 4, {"nowhere"});
}

TEST_F(BadInput, AFolderHoldsOneRun) {
  const std::string run =
      "run sphere:4 --channels 4 --algorithms gather_scatter --directions forward --max-time 10ms "
      "--out r";
  ASSERT_EQ(folder_.run(run).code, 0);
  const std::string before = read(folder_.path() / "r/records.jsonl");
  expect_error(run, 2, {"--out: r holds a run already", "--resume"});
  EXPECT_EQ(read(folder_.path() / "r/records.jsonl"), before);
}

TEST_F(BadInput, WhereAllIsUnsupportedNothingRan) {
  const std::string run =
      "run sphere:4 --channels 4 --directions fprop --tile-order plain --max-time 10ms ";
  const Outcome nothing = folder_.run(run + "--algorithms gather_scatter --quiet --out a");
  EXPECT_EQ(nothing.code, 5);
  EXPECT_EQ(nothing.err,
            "error: nothing ran: all cases are unsupported or skipped; the table says why\n");
  EXPECT_EQ(folder_.run(run + "--algorithms gather_scatter,masked_implicit_gemm --out b").code, 0);
}

TEST_F(BadInput, Usage) {
  expect_error("", 2, {"--help"});
  expect_error("run", 2, {"no data set"});
  expect_error("run sphere:8 --channels 0:3", 2, {"--channels"});
  expect_error("run sphere:8 --kernel-size 2", 2, {"even"});
  expect_error("run sphere:8 --device 99", 2, {"--device"});
  expect_error("run sphere:8 --verify-modes often", 2, {"--verify-modes"});
  expect_error("run sphere:8 --color green", 2, {"--color"});
  expect_error("run sphere:8 --max-time -1", 2, {"--max-time: \"-1\" is no time"});
  expect_error("run sphere:8 --timeout inf", 2, {"--timeout: \"inf\" is no time"});
  EXPECT_EQ(folder_.run("run sphere:x --out out").code, 2);
}

TEST_F(BadInput, BehindTwoDashesStandsNoOption) {
  const std::string run = " -- run sphere:8";
  expect_error("compare --ab A B --pairs 0" + run, 2,
               {"error: --pairs: \"0\" is no number above 0"});
  expect_error("compare --ab A B --pairs 99999999999" + run, 2,
               {"error: --pairs: \"99999999999\""});
  expect_error("compare --ab A B --seed x" + run, 2, {"error: --seed: \"x\" is no whole number"});
  expect_error("compare --ab A B --pairz 3" + run, 2, {"did you mean \"--pairs\"?"});
}

TEST_F(BadInput, CountsOfWordsAreSaidInTheToolsOwnWords) {
  expect_error("run sphere:8 --max-time 1 --max-time 2", 2,
               {"error: --max-time: is given 2 times; give it once"});
  expect_error("run sphere:8 --out", 2,
               {"error: --out: needs a value; see spconv-bench run --help"});
  expect_error("run sphere:8 -o", 2, {"error: --out: needs a value"});
  for (const char* words : {"man extra", "man extra more", "man -- extra"})
    expect_error(words, 2, {"error: extra: is one argument too many; see spconv-bench man --help"});
}

TEST_F(BadInput, ConfigWithUnknownKeyNamesItsLine) {
  const std::string suite =
      folder_.write("suite.toml", "datasets = [\"sphere:8\"]\n\nchanels = \"16:32\"\n");
  expect_error("run --config " + suite, 2, {"suite.toml:3", "did you mean \"channels\"?"});
  expect_error("run --config nosuchsuite", 2, {"--config", "nosuchsuite"});
}

TEST_F(BadInput, ZeroCasesNameTheFilter) {
  expect_error("run sphere:8 --filter */f64/*", 5, {"--filter", "*/f64/*", "sphere:8/"});
}

TEST_F(BadInput, DeepFilesAreOneLineWhoeverReadsThem) {
  std::string keys;
  for (int i = 0; i < 50'000; ++i) keys += "a.";
  const std::string lists(5'000'000, '[');
  folder_.write("key.toml", keys + "a = 1\n");
  folder_.write("table.toml", "[" + keys + "a]\n");
  folder_.write("lists.json", lists);
  folder_.write("lists.jsonl", "{\"type\":\"context\",\"x\":" + lists + "\n");
  expect_quick_error("run --config key.toml --dry-run", 2, {"key.toml:1: nests"});
  expect_quick_error("run --config table.toml --dry-run", 2, {"table.toml:1: nests"});
  expect_quick_error("list tuning --tuning lists.json", 4, {"lists.json: nests"});
  expect_quick_error("run sphere:4 --peaks lists.json", 4, {"lists.json: nests"});
  expect_quick_error("report lists.jsonl -o out", 4, {"lists.jsonl:1: nests"});
}

TEST_F(BadInput, TooManyCasesAreCountedNotMade) {
  const std::string lists = "--channels 1-1000 --stride 1-1000 --dilation 1-1000";
  folder_.write("s.toml",
                "datasets = \"a\"\nchannels = \"1-1000\"\nstride = \"1-1000\"\n"
                "dilation = \"1-1000\"\n");
  for (const std::string& words :
       {"run sphere:8 --dry-run " + lists, "inspect sphere:8 " + lists,
        std::string("run --config s.toml --dry-run"), "tune sphere:8 " + lists})
    expect_quick_error(words, 2, {"cases, more than 1000000", "shorten a list"});
  expect_quick_error("run sphere:8 --channels 1-60000,1-60000", 2,
                     {"--channels: the list has over"});
}

TEST_F(BadInput, NumbersThatDoNotFitSaySo) {
  for (const char* number : {"1.5", "4294967297", "99999999999999999999"})
    expect_error(std::string("run sphere:8 --min-samples ") + number, 2,
                 {"--min-samples: \"" + std::string(number) + "\" is no whole number"});
  expect_error("history . --last 1.5", 2, {"--last: \"1.5\" is no whole number"});
  folder_.write("s.toml", "datasets = \"sphere:8\"\nseed = 1.0\n");
  expect_error("run --config s.toml --dry-run", 2, {"s.toml:2: seed: \"1.0\" is no integer"});
}

TEST_F(BadInput, AThinTriangleLoopsOverNoBox) {
  folder_.write("sliver.obj", "v 0 0 0\nv 2e9 2e9 0\nv 2e9 2e9 1e-7\nf 1 2 3\n");
  expect_quick_error("inspect sliver.obj --voxel-size 1", 4, {"sliver.obj: triangle 0", "thin"});
}

}  // namespace
}  // namespace spb::cli
