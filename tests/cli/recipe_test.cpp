// SPDX-License-Identifier: Apache-2.0
// The commands of configs/ci/github-actions.yml, run as the job runs them.
#include <filesystem>
#include <gtest/gtest.h>

#include "program.h"
#include "recipe_steps.h"
#include "report/records/csv.h"

namespace spb::cli {
namespace {

namespace fs = std::filesystem;

const fs::path kRecipe = fs::path(SPB_SOURCE_DIR) / "configs/ci/github-actions.yml";

class Recipe : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("tiny.toml",
                  "datasets = [\"cube:4\"]\nchannels = \"4\"\nalgorithms = "
                  "[\"gather_scatter\"]\ndirections = \"fprop\"\n");
  }
  Outcome step(const std::string& name) const {
    const auto all = steps_of(kRecipe);
    EXPECT_TRUE(all.contains(name)) << name;
    folder_.write("step.sh",
                  std::string("set -e\nexport SPCONV_BENCH=") + SPB_PROGRAM +
                      " SUITE=tiny.toml BASELINE=baseline GITHUB_STEP_SUMMARY=summary.md\n" +
                      all.at(name));
    return Program("/bin/bash", "step.sh", folder_.path()).wait();
  }
  TemporaryFolder folder_;
};

TEST_F(Recipe, MeasuresComparesAndPublishes) {
  const Outcome measured = step("Measure");
  ASSERT_EQ(measured.code, 0) << measured.err;
  ASSERT_TRUE(fs::exists(folder_ / "results/new/samples.csv"));
  fs::copy(folder_ / "results/new", folder_ / "baseline");
  const Outcome page = step("Publish the page");
  EXPECT_EQ(page.code, 0) << page.err;
  EXPECT_TRUE(fs::exists(folder_ / "page/report.html"));
  const Outcome compared = step("Compare with the baseline");
  EXPECT_EQ(compared.code, 0) << compared.out << compared.err;
  EXPECT_EQ(step("Show the comparison in the pull request").code, 0);
  EXPECT_TRUE(read(folder_ / "summary.md").starts_with("# "));
  for (const char* file : {"compare.json", "compare.xml"})
    EXPECT_TRUE(fs::exists(folder_ / file)) << file;

  // A baseline that was a thousand times as fast.
  std::vector<Record> rows = report::read_csv(folder_ / "baseline/results.csv");
  for (Record& row : rows)
    for (const char* column : {"time_median_us", "time_ci95_lo_us", "time_ci95_hi_us"})
      if (auto* time = std::get_if<double>(&row.named(column))) *time /= 1000;
  fs::remove_all(folder_ / "baseline");
  fs::create_directory(folder_ / "baseline");
  report::write_csv(folder_ / "baseline/results.csv", rows);
  const Outcome slower = step("Compare with the baseline");
  EXPECT_EQ(slower.code, 3) << slower.out << slower.err;
  EXPECT_TRUE(contains(read(folder_ / "compare.md"), "slower"));
}

TEST_F(Recipe, BuildsAsTheReadmeDoes) {
  const auto all = steps_of(kRecipe);
  ASSERT_TRUE(all.contains("Build"));
  EXPECT_EQ(all.at("Build"), "./bootstrap.sh build --vendor cuda\n");
  EXPECT_TRUE(contains(read(fs::path(SPB_SOURCE_DIR) / "bootstrap.sh"), "--vendor cuda|hip|host"));
}

}  // namespace
}  // namespace spb::cli
