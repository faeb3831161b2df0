// SPDX-License-Identifier: Apache-2.0
// help, version, list, inspect, generate.
#include <algorithm>
#include <filesystem>
#include <gtest/gtest.h>
#include <map>
#include <sstream>
#include <string>

#include "program.h"
#include "report/records/fields.h"

namespace spb::cli {
namespace {

class Commands : public testing::Test {
 protected:
  TemporaryFolder folder_;
};

TEST_F(Commands, HelpGoesToStdoutWithExamplesAndExitCodes) {
  for (const char* words : {"--help", "run --help", "verify --help", "inspect --help",
                            "generate --help", "list --help"}) {
    const Outcome outcome = folder_.run(words);
    EXPECT_EQ(outcome.code, 0) << words;
    EXPECT_TRUE(contains(outcome.out, "Exit codes:")) << words;
    EXPECT_EQ(outcome.err, "") << words;
  }
  const std::string help = folder_.run("run --help").out;
  for (const char* part : {"Examples:", "--dtypes", "--kernel-size", "--out", "--dry-run"})
    EXPECT_TRUE(contains(help, part)) << part;
  EXPECT_LT(folder_.run("run -h").out.size(), help.size());
}

// Lines of examples are kept as they are: they are copied.
TEST_F(Commands, HelpFitsATerminal) {
  for (const char* command :
       {"run", "verify", "inspect", "generate", "report", "compare", "tune", "list"}) {
    std::istringstream help(folder_.run(std::string(command) + " -h").out);
    for (std::string line; std::getline(help, line);) EXPECT_LE(line.size(), 80u) << line;
  }
  const std::string help = folder_.run("run --help").out;
  for (const char* part : {"--max-time TIME", "[2s]", "--min-samples N", "[30]",
                           "--kernel-size K,..", "[3]", "[exact,fp]", "[16:32]", "needs --out",
                           "not with --no-isolate", "usage: spconv-bench run [OPTIONS] [DATA...]"})
    EXPECT_TRUE(contains(help, part)) << part << help;
  EXPECT_EQ(folder_.run("help run").out, help);
  EXPECT_EQ(folder_.run("help").out, folder_.run("--help").out);
}

TEST_F(Commands, VersionNamesVendor) {
  const Outcome outcome = folder_.run("--version");
  EXPECT_EQ(folder_.run("-V").out, outcome.out);
  EXPECT_EQ(outcome.code, 0);
  EXPECT_TRUE(outcome.out.starts_with("spconv-bench ")) << outcome.out;
  EXPECT_EQ(count_lines(outcome.out), 1u);
}

TEST_F(Commands, StartsInUnder50Milliseconds) {
  for (const char* words : {"--version", "--help", "list formats"}) {
    std::vector<double> seconds;
    for (int i = 0; i < 9; ++i) seconds.push_back(folder_.run(words).seconds);
    // The fastest: what starting costs, whatever else the machine does.
    EXPECT_LT(std::ranges::min(seconds), SPB_SANITIZED ? 2 : 0.05) << words;
  }
}

TEST_F(Commands, ListsEverything) {
  for (const char* what : {"algorithms", "datasets", "formats", "generators", "columns", "dtypes",
                           "kernels", "suites"}) {
    const Outcome outcome = folder_.run(std::string("list ") + what);
    EXPECT_EQ(outcome.code, 0) << what << outcome.err;
    EXPECT_GE(count_lines(outcome.out), 1u) << what;
  }
  const Outcome kinds = folder_.run("list");
  EXPECT_EQ(kinds.code, 0) << kinds.err;
  for (const char* kind : {"algorithms ", "kernels ", "suites ", "tuning "})
    EXPECT_TRUE(contains(kinds.out, kind)) << kinds.out;
  const std::string algorithms = folder_.run("list algorithms").out;
  for (const char* name :
       {"explicit_gemm", "gather_scatter", "implicit_gemm", "implicit_gemm_splitk",
        "masked_implicit_gemm", "masked_implicit_gemm_splitk", "split_masked_implicit_gemm",
        "fused_gather_scatter", "grouped_gemm"})
    EXPECT_TRUE(contains(algorithms, name));
  EXPECT_EQ(count_lines(folder_.run("list columns").out), report::fields().size() + 1);
  EXPECT_TRUE(contains(folder_.run("list dtypes").out, "bf16"));
  const std::string kernels = folder_.run("list kernels").out;
  EXPECT_TRUE(contains(kernels, "fma_64x64x32"));
  const auto directions_of = [&](const std::string& kernel) {
    std::istringstream line(kernels.substr(kernels.find(kernel)));
    std::string name, first, second;
    line >> name >> first >> second;
    return second == "dgrad" ? first + " dgrad" : first;
  };
  // Those that this build lists.
  for (const auto& [kernel, directions] :
       std::map<std::string, std::string>{{"mfma_i8_128x64x128", "fprop"},
                                          {"mma_sm75_i8_64x64x64", "fprop"},
                                          {"wgmma_i8_128x256x128", "fprop"},
                                          {"wgmma_e4m3_128x256x128", "fprop dgrad"}})
    if (contains(kernels, kernel)) {
      EXPECT_EQ(directions_of(kernel), directions);
    }
  EXPECT_TRUE(contains(kernels, "state"));
  EXPECT_NE(contains(kernels, "run on sm_90"), contains(kernels, "not in this build"))
      << "cuBLAS is CUDA's";
  EXPECT_TRUE(contains(folder_.run("list generators").out, "sphere:"));
}

TEST_F(Commands, ChoicesAreListedForATerminal) {
  const Outcome outcome = folder_.run("list choices");
  ASSERT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"explicit_gemm", "none", "--tile-order", "--kernel", "fprop dgrad"})
    EXPECT_TRUE(contains(outcome.out, part)) << part << '\n' << outcome.out;
  std::istringstream lines(outcome.out);
  for (std::string line; std::getline(lines, line);) EXPECT_LE(line.size(), 80u) << line;
}

TEST_F(Commands, InspectPrintsTheKnownCounts) {
  const Outcome outcome = folder_.run("inspect sphere:16 --tile-heights 64,128");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  for (const char* part : {"848 voxels", "10544", "12.434", "Redundancy", "64 rows", "128 rows",
                           "plain", "gray", "window", "Locations: 10544 valid, 22896 dense"})
    EXPECT_TRUE(contains(outcome.out, part)) << part << '\n' << outcome.out;
  EXPECT_EQ(outcome.err, "");
}

TEST_F(Commands, InspectWalksGeometriesAndChannels) {
  const Outcome outcome =
      folder_.run("inspect cube:6 --kernel-size 3,5 --channels 16:32,64 --dtypes f16,f32");
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(outcome.out, "4096"));   // (3 R - 2)^3
  EXPECT_TRUE(contains(outcome.out, "13824"));  // (5 R - 6)^3
  EXPECT_TRUE(contains(outcome.out, "64:64"));
  EXPECT_EQ(count_lines(outcome.out) > 40, true);
}

TEST_F(Commands, GeneratedFilesReadBackTheSame) {
  const std::string direct = folder_.run("inspect sphere:16").out;
  const auto after_first_line = [](const std::string& text) {
    return text.substr(text.find('\n'));
  };
  for (const char* file : {"sphere.npy", "sphere.xyz"}) {
    const Outcome made = folder_.run(std::string("generate sphere:16 --out ") + file);
    EXPECT_EQ(made.code, 0) << made.err;
    EXPECT_EQ(made.out, "");
    const Outcome outcome = folder_.run(std::string("inspect ") + file +
                                        (contains(file, "xyz") ? " --voxel-size 1" : ""));
    EXPECT_EQ(outcome.code, 0) << outcome.err;
    EXPECT_EQ(after_first_line(outcome.out), after_first_line(direct)) << file;
  }
}

TEST_F(Commands, ARangeIsABoxAndSaysWhatItDrops) {
  folder_.write("four.xyz", "-3.5 -1.5 0.2\n3.4 1.5 0.7\n9 0 0\n-3.5 -1.4 0.2\n");
  const std::string grid = "four.xyz --voxel-size 1x0.5x1 --range -4,-2,0:4,2,2";
  const Outcome inspected = folder_.run("inspect " + grid);
  EXPECT_EQ(inspected.code, 0) << inspected.err;
  EXPECT_TRUE(contains(inspected.out,
                       "four.xyz: 2 voxels from 4 points (xyz), 0 not finite, "
                       "1 outside of the range, 1 merged\nbox 8x8x2 from 0,0,0"))
      << inspected.out;
  EXPECT_TRUE(contains(inspected.err, "four.xyz: 1 of 4 points lie outside of --range"));
  EXPECT_EQ(folder_.run("generate " + grid + " --out two.xyz").code, 0);
  EXPECT_EQ(read(folder_ / "two.xyz"), "0 1 0\n7 7 0\n");

  const std::string options =
      " --channels 4 --dtypes f32 --directions fprop --algorithms gather_scatter --max-time 0.01 ";
  const Outcome ran = folder_.run("run " + grid + " --frame cartesian" + options + "--out out");
  EXPECT_EQ(ran.code, 0) << ran.err;
  const std::string records = read(folder_ / "out/records.jsonl");
  EXPECT_TRUE(contains(records, "\"voxel_edges\":\"1x0.5x1\"")) << records;
  EXPECT_TRUE(contains(records, "\"range\":\"-4,-2,0:4,2,2\""));
  EXPECT_TRUE(contains(records, "\"case_id\":\"four@1x0.5x1@-4,-2,0:4,2,2/subm"));
  EXPECT_TRUE(contains(records, "--voxel-size 1x0.5x1 --range -4,-2,0:4,2,2 --conv-kind"));
  EXPECT_FALSE(contains(records, "\"frame\":\"cartesian\""));
  const Outcome round = folder_.run("inspect four.xyz --frame cylinder --voxel-size 1");
  EXPECT_TRUE(contains(round.out, "box 7x4x1 from 3,-3,0")) << round.out;
}

TEST_F(Commands, ASizeOfVoxelsThatAreSomeAlreadyIsNotedAndNotRecorded) {
  EXPECT_EQ(folder_.run("generate sphere:8 --out voxels.npy").code, 0);
  const std::string options =
      " --channels 4 --dtypes f32 --directions fprop --algorithms gather_scatter --max-time 0.01 "
      "--out ";
  const Outcome sized = folder_.run("run voxels.npy --voxel-size 0.1" + options + "sized");
  EXPECT_EQ(sized.code, 0) << sized.err;
  EXPECT_TRUE(contains(sized.err, "voxels.npy: its rows are voxels: --voxel-size is not needed"))
      << sized.err;
  EXPECT_FALSE(contains(read(folder_ / "sized/records.jsonl"), "\"voxel_size_m\":0.1"));
  const Outcome plain = folder_.run("run voxels.npy" + options + "plain");
  EXPECT_FALSE(contains(plain.err, "its rows are voxels")) << plain.err;
}

TEST_F(Commands, GenerateRefusesWhatItCannotWrite) {
  EXPECT_EQ(folder_.run("generate sphere:8 --out sphere.doc").code, 2);
  EXPECT_EQ(folder_.run("generate sphere:8").code, 2);
  folder_.write("file", "");
  EXPECT_EQ(folder_.run("generate sphere:8 --out file/sphere.npy").code, 4);
  const Outcome batches = folder_.run("generate sphere:8 --batch-copies 2 --out new/two.xyz");
  EXPECT_EQ(batches.code, 2);
  EXPECT_TRUE(contains(batches.err, ".xyz holds one batch only")) << batches.err;
  EXPECT_FALSE(std::filesystem::exists(folder_ / "new")) << "nothing is left behind";
}

TEST_F(Commands, GenerateKeepsALink) {
  folder_.write("target.npy", "old");
  std::filesystem::create_symlink("target.npy", folder_ / "link.npy");
  EXPECT_EQ(folder_.run("generate sphere:8 --out link.npy").code, 0);
  EXPECT_TRUE(std::filesystem::is_symlink(folder_ / "link.npy"));
  EXPECT_TRUE(contains(read(folder_ / "target.npy"), "NUMPY"));
}

}  // namespace
}  // namespace spb::cli
