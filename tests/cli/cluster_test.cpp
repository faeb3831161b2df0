// SPDX-License-Identifier: Apache-2.0
// The recipes in configs/cluster, as far as they run without their engines; .ci/slurm runs one with
// its own.
#include <chrono>
#include <csignal>
#include <filesystem>
#include <gtest/gtest.h>
#include <thread>

#include "program.h"

namespace spb::cli {
namespace {

namespace fs = std::filesystem;

const fs::path kClusterRecipes = fs::path(SPB_SOURCE_DIR) / "configs/cluster";

TEST(Cluster, RecipesAreShortAndGoOnWhereTheyWereStopped) {
  int recipes = 0;
  for (const auto& entry : fs::directory_iterator(kClusterRecipes)) {
    const std::string text = read(entry.path());
    ++recipes;
    EXPECT_LE(count_lines(text), 40u) << entry.path();
    for (const char* part : {"--shard", "--out", "--resume", "docs/sweeps.md"})
      EXPECT_TRUE(contains(text, part)) << entry.path() << ": " << part;
  }
  EXPECT_EQ(recipes, 5);
}

/// The Slurm recipe as the second of two tasks, with an scontrol that writes down its arguments.
class SlurmTask : public testing::Test {
 protected:
  void SetUp() override {
    folder_.write("task.sh",
                  "export PATH=" + folder_.path().string() +
                      ":$PATH SLURM_ARRAY_TASK_ID=1 SLURM_ARRAY_TASK_COUNT=2 SLURM_ARRAY_JOB_ID=7 "
                      "SWEEP=sweep SPCONV_BENCH=" SPB_PROGRAM "\nexec bash " +
                      (kClusterRecipes / "slurm_array.sbatch").string() + " \"$@\"\n");
    const std::string scontrol = folder_.write("scontrol", "#!/bin/sh\necho \"$@\" >> requeued\n");
    fs::permissions(scontrol, fs::perms::owner_all);
  }
  Program task(const std::string& more = "") const {
    return {"/bin/bash",
            "task.sh run sphere:4 cube:3 --channels 4 --algorithms gather_scatter --llc-bytes "
            "100000 --min-samples 1" +
                more,
            folder_.path()};
  }
  std::string file(const char* name) const { return read(folder_.path() / name); }
  TemporaryFolder folder_;
};

TEST_F(SlurmTask, RunsItsShardOnce) {
  const Outcome outcome = task(" --max-time 0.002").wait();
  EXPECT_EQ(outcome.code, 0) << outcome.err;
  EXPECT_TRUE(contains(file("sweep/shard-1-of-2/records.jsonl"), R"("type":"summary")"));
  EXPECT_EQ(file("requeued"), "");
}

TEST_F(SlurmTask, IsQueuedAgainWhenItsTimeIsUp) {
  Program program = task(" --max-time 1");  // long enough to be stopped within
  while (program.is_running() &&
         !contains(file("sweep/shard-1-of-2/records.jsonl"), R"("type":"anchor")"))
    std::this_thread::sleep_for(std::chrono::milliseconds(1));
  program.send(SIGTERM);
  const Outcome outcome = program.wait();
  EXPECT_EQ(outcome.code, 130) << outcome.err;
  EXPECT_TRUE(contains(file("sweep/shard-1-of-2/records.jsonl"), R"("interrupted":true)"))
      << "the case in progress ends, and the summary is written";
  EXPECT_EQ(file("requeued"), "requeue 7_1\n");
}

TEST_F(SlurmTask, AFailureIsNoReasonToQueueAgain) {
  const Outcome outcome = task(" --config nothing").wait();
  EXPECT_NE(outcome.code, 0);
  EXPECT_NE(outcome.code, 130);
  EXPECT_EQ(file("requeued"), "");
}

}  // namespace
}  // namespace spb::cli
