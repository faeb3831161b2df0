// SPDX-License-Identifier: Apache-2.0
// configs/ci/measure.sh in a repository of a user, as the GitHub and the GitLab recipe call it.
#include <filesystem>
#include <gtest/gtest.h>

#include "program.h"
#include "recipe_steps.h"
#include "report/records/csv.h"

namespace spb::cli {
namespace {

namespace fs = std::filesystem;

const fs::path kCiRecipes = fs::path(SPB_SOURCE_DIR) / "configs/ci";
constexpr const char* kTiny =
    "cube:4 --channels 4 --algorithms gather_scatter --directions fprop --dtypes f32 "
    "--max-time 0.02";

class MeasureScript : public testing::Test {
 protected:
  void SetUp() override {
    fs::create_directory(folder_ / "ci");
    fs::copy(kCiRecipes / "measure.sh", folder_ / "ci/measure.sh");
  }
  Outcome shell(const std::string& script) const {
    folder_.write(
        "step.sh",
        "set -e\nunset SPCONV_BENCH RELEASE TAG SAVE COMPARE\nexport ROUNDS=1\n" + script);
    return Program("/bin/bash", "step.sh", folder_.path()).wait();
  }
  /// The script with a program and these settings.
  Outcome measure(const std::string& settings) const {
    return shell(std::string("export RUN='") + kTiny + "'\n" + settings + " ci/measure.sh\n");
  }
  static std::string with_program() { return std::string("SPCONV_BENCH=") + SPB_PROGRAM; }
  /// A baseline of this run, a million times as fast.
  void speed_up_baseline() const {
    const fs::path baseline = folder_ / ".spconv-bench/baselines/main";
    std::vector<Record> rows = report::read_csv(run_folder() / "results.csv");
    for (Record& row : rows)
      for (const char* column : {"time_median_us", "time_ci95_lo_us", "time_ci95_hi_us"})
        if (auto* time = std::get_if<double>(&row.named(column))) *time /= 1e6;
    fs::remove_all(baseline);
    report::write_csv(baseline / "results.csv", rows);
  }
  fs::path run_folder() const {
    return fs::directory_iterator(folder_ / ".spconv-bench/runs")->path();
  }
  TemporaryFolder folder_;
};

TEST_F(MeasureScript, MakesABaselineAndComparesWithIt) {
  const Outcome first = measure(with_program());
  EXPECT_EQ(first.code, 2) << first.err;
  EXPECT_TRUE(contains(first.err, "holds no baseline; make one with compare --save-baseline"));

  const Outcome saved = measure(with_program() + " SAVE=1");
  ASSERT_EQ(saved.code, 0) << saved.err;
  EXPECT_TRUE(fs::exists(folder_ / ".spconv-bench/baselines/main/records.jsonl"));
  EXPECT_TRUE(fs::exists(folder_ / ".spconv-bench/baselines/main/samples.csv"));

  const Outcome compared =
      measure(with_program() + " COMPARE='--threshold 1000% --fail-on slower'");
  EXPECT_EQ(compared.code, 0) << compared.out << compared.err;
  for (const char* file : {"report.html", "compare.md", "compare.json", "compare.xml"})
    EXPECT_TRUE(fs::exists(folder_.path() / "performance" / file)) << file;
  EXPECT_TRUE(contains(read(folder_ / "performance/history.txt"), "gather_scatter/kernel/cold"));

  speed_up_baseline();
  const Outcome slower = measure(with_program());
  EXPECT_EQ(slower.code, 3) << slower.err;
  EXPECT_TRUE(contains(read(folder_ / "performance/compare.md"), "slower"));
}

TEST_F(MeasureScript, ARunThatFailedIsNoBaseline) {
  folder_.write("cut.bin", std::string(30, 'x'));
  const Outcome failed = shell("export RUN='cut.bin --voxel-size 1 --algorithms gather_scatter'\n" +
                               with_program() + " SAVE=1 ci/measure.sh\n");
  EXPECT_EQ(failed.code, 4) << failed.err;
  EXPECT_TRUE(contains(failed.err, "neither compared nor kept as a baseline")) << failed.err;
  EXPECT_FALSE(fs::exists(folder_ / ".spconv-bench/baselines"));
}

TEST_F(MeasureScript, UnpacksARelease) {
  const Outcome packed = shell(std::string("mkdir -p pack/bin; cp ") + SPB_PROGRAM +
                               " pack/bin/spconv-bench\ntar -czf release.tar.gz pack\n"
                               "sha256sum release.tar.gz | cut -c 1-64\n");
  ASSERT_EQ(packed.code, 0) << packed.err;
  const std::string sha256 = packed.out.substr(0, 64);
  for (int time = 0; time < 2; ++time) {  // the second time it is there
    const Outcome saved = measure("RELEASE=release.tar.gz RELEASE_SHA256=" + sha256 + " SAVE=1");
    EXPECT_EQ(saved.code, 0) << saved.err;
    fs::remove(folder_ / "release.tar.gz");
  }
  folder_.write("other.tar.gz", "something else");
  const Outcome other =
      measure("RELEASE=other.tar.gz RELEASE_SHA256=" + std::string(64, '0') + " SAVE=1");
  EXPECT_EQ(other.code, 2) << other.err;
  EXPECT_TRUE(contains(other.err, "has another SHA-256 than RELEASE_SHA256")) << other.err;
}

TEST_F(MeasureScript, BuildsATagOnce) {
  // A repository whose bootstrap.sh brings this program.
  const Outcome made =
      shell(std::string("git init -q tool; cd tool\n"
                        "printf '#!/bin/bash\\ncd \"$(dirname \"$0\")\"; mkdir -p build/host\\n"
                        "echo built \"$@\" >> ../../built\\nln -s ") +
            SPB_PROGRAM +
            " build/host/spconv-bench\\n' > bootstrap.sh\nchmod +x bootstrap.sh; git add .\n"
            "git -c user.name=a -c user.email=a@b.c commit -qm one; git tag v1\n");
  ASSERT_EQ(made.code, 0) << made.err;
  for (int time = 0; time < 2; ++time) {
    const Outcome saved = measure("REPOSITORY=$PWD/tool TAG=v1 VENDOR=host SAVE=1");
    EXPECT_EQ(saved.code, 0) << saved.err;
  }
  EXPECT_EQ(read(folder_ / "built"), "built build --vendor host\n");
  const Outcome wrong = measure("REPOSITORY=$PWD/tool TAG=v2 SAVE=1");
  EXPECT_EQ(wrong.code, 2) << wrong.err;
  EXPECT_TRUE(contains(wrong.err, "tool has no v2")) << wrong.err;
}

TEST_F(MeasureScript, SaysWhatIsNotSet) {
  const std::pair<std::string, const char*> cases[] = {
      {"ci/measure.sh", "RUN is not set"},
      {"RUN=cube:4 ci/measure.sh", "no program; set SPCONV_BENCH, RELEASE or TAG"},
      {"RUN=cube:4 SPCONV_BENCH=none ci/measure.sh", "none is no program"},
      {"RUN=cube:4 TAG=v1 ci/measure.sh", "TAG needs REPOSITORY"},
      {"RUN=cube:4 RELEASE=a.tar.gz ci/measure.sh", "RELEASE needs RELEASE_SHA256"},
  };
  for (const auto& [words, err] : cases) {
    const Outcome outcome = shell("unset RUN\n" + words + "\n");
    EXPECT_EQ(outcome.code, 2) << words << outcome.err;
    EXPECT_TRUE(contains(outcome.err, err)) << words << outcome.err;
    EXPECT_EQ(count_lines(outcome.err), 1u) << outcome.err;
  }
}

TEST_F(MeasureScript, TheRecipesCallIt) {
  const auto steps = steps_of(kCiRecipes / "github-measure.yml");
  const auto scripts = scripts_of(kCiRecipes / "gitlab-measure.yml");
  const struct {
    const char* name;
    std::string make, compare;
  } recipes[] = {
      {"GitHub", steps.at("Make the baseline"),
       steps.at("Compare with the baseline") + steps.at("Show the comparison in the pull request")},
      {"GitLab", scripts.at("make-baseline"), scripts.at("compare")}};
  for (const auto& recipe : recipes) {
    fs::remove_all(folder_ / ".spconv-bench");
    const std::string settings = std::string("export RUN='") + kTiny +
                                 "' GITHUB_STEP_SUMMARY=summary.md " + with_program() +
                                 " COMPARE='--threshold 1000% --fail-on slower'\n";
    const Outcome made = shell(settings + recipe.make);
    ASSERT_EQ(made.code, 0) << recipe.name << made.err;
    EXPECT_TRUE(contains(made.err, "kept as baseline main")) << recipe.name << made.err;
    const Outcome compared = shell(settings + recipe.compare);
    EXPECT_EQ(compared.code, 0) << recipe.name << compared.err;
    EXPECT_TRUE(contains(compared.out, "BASE .spconv-bench/baselines/main")) << recipe.name;
  }
  EXPECT_TRUE(read(folder_ / "summary.md").starts_with("# "));
}

TEST(MeasureRecipes, SetWhatTheScriptReads) {
  for (const char* recipe : {"github-measure.yml", "gitlab-measure.yml"})
    for (const char* variable : {"  RUN: ", "  REPOSITORY: ", "  TAG: ", "  BASELINE: "})
      EXPECT_TRUE(contains(read(kCiRecipes / recipe), variable)) << recipe << variable;
}

}  // namespace
}  // namespace spb::cli
