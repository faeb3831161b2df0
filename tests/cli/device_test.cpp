// SPDX-License-Identifier: Apache-2.0
// Which device, and what is said when there is none.
#include <gtest/gtest.h>

#include "program.h"
#include "report/records/jsonl.h"

namespace spb::cli {
namespace {

constexpr const char* kVerified = "verify sphere:8 --algorithms gather_scatter --directions fprop ";

bool has_device(const TemporaryFolder& folder) { return folder.run("list devices").code == 0; }

TEST(Devices, WithoutOneIsOneLineAndExitCode4) {
  const TemporaryFolder folder;
  if (has_device(folder)) GTEST_SKIP() << "this machine has a device for this build";
  for (const std::string& words : {std::string("list devices"), std::string(kVerified)}) {
    const Outcome outcome = folder.run(words);
    EXPECT_EQ(outcome.code, 4) << words;
    EXPECT_EQ(count_lines(outcome.err), 1u) << outcome.err;
    EXPECT_TRUE(contains(outcome.err, "no driver is installed") ||
                contains(outcome.err, "no device") || contains(outcome.err, "driver supports"))
        << outcome.err;
  }
}

TEST(Devices, AreListedWithWhatTheyAre) {
  const TemporaryFolder folder;
  if (!has_device(folder)) GTEST_SKIP() << "no device";
  const std::string out = folder.run("list devices").out;
  EXPECT_GE(count_lines(out), 2u) << out;
  for (const char* column :
       {"name", "arch", "SMs", "memory", "clock", "driver", "runtime", "state"})
    EXPECT_TRUE(contains(out, column)) << out;
}

TEST(Devices, AreChosenByIndexOrAll) {
  const TemporaryFolder folder;
  if (!has_device(folder)) GTEST_SKIP() << "no device";
  EXPECT_EQ(folder.run(std::string(kVerified) + "--device 0 --out one").code, 0);
  EXPECT_EQ(folder.run(std::string(kVerified) + "--device all --out all").code, 0);
  const auto devices = count_lines(folder.run("list devices").out) - 1;
  EXPECT_EQ(report::read_jsonl(folder.path() / "all" / "records.jsonl").runs.size(), devices);

  for (const char* wrong : {"--device 99", "--device first", "--device -1"}) {
    const Outcome outcome = folder.run(std::string(kVerified) + wrong);
    EXPECT_EQ(outcome.code, 2) << wrong;
    EXPECT_TRUE(contains(outcome.err, "--device")) << outcome.err;
  }
}

}  // namespace
}  // namespace spb::cli
