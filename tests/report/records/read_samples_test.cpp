// SPDX-License-Identifier: Apache-2.0
#include "report/records/read_samples.h"

#include <vector>

#include "core/error.h"
#include "report/samples.h"

namespace spb::report {
namespace {

class ReadSamplesTest : public ReportTest {
 protected:
  std::map<std::string, Rounds> read(const std::string& text) const {
    write(folder_ / "samples.csv", kHeader + text);
    const std::vector files{folder_ / "records.jsonl"};
    return read_samples(files, {"run\ncase"});
  }
  const std::string kHeader =
      "run_id,case_id,round,sample,set,time_ns,sm_clock_mhz,throttled,outlier\n";
};

TEST_F(ReadSamplesTest, ByRoundInMicroseconds) {
  const auto samples = read(
      "run,\"case\",0,0,0,1500,1980,0,0\nrun,case,0,1,1,2000,1980,0,1\n"
      "run,other,0,0,0,1,,0,0\nearlier,case,0,0,0,1,,0,0\n"
      "run,case,1,0,0,3000,,0,0\n");
  ASSERT_EQ(samples.size(), 1u);
  EXPECT_EQ(samples.at("run\ncase"), (Rounds{{1.5, 2}, {3}}));
}

TEST_F(ReadSamplesTest, ThrottledOnesOnlyWhereThereAreFewOthers) {
  std::string ten = "run,case,0,0,0,1000,,1,0\n";
  for (int i = 1; i <= 10; ++i) ten += "run,case,0," + std::to_string(i) + ",0,2000,,0,0\n";
  EXPECT_EQ(read(ten).at("run\ncase"), (Rounds{std::vector<double>(10, 2.0)}));
  EXPECT_EQ(read("run,case,0,0,0,1000,,1,0\nrun,case,0,1,0,2000,,0,0\n").at("run\ncase"),
            (Rounds{{2, 1}}));
  EXPECT_EQ(read("run,case,0,0,0,1000,,1,0\nrun,case,0,1,0,2000,,1,0\n").at("run\ncase"),
            (Rounds{{1, 2}}));
}

TEST_F(ReadSamplesTest, ARepeatedCaseCountsOnce) {
  EXPECT_EQ(read("run,case,0,0,0,1000,,0,0\nrun,case,0,1,0,1000,,0,0\n"
                 "run,case,0,0,0,5000,,0,0\nrun,case,1,0,0,6000,,0,0\n")
                .at("run\ncase"),
            (Rounds{{5}, {6}}));
}

TEST_F(ReadSamplesTest, NoFileIsNoSamplesAndDamageIsAnError) {
  const std::vector files{folder_ / "records.jsonl"};
  EXPECT_TRUE(read_samples(files, {"run\ncase"}).empty());
  for (const char* line : {"run,case,0,0,0,fast,,0,0\n", "run,case,0\n"}) {
    try {
      read(line);
      ADD_FAILURE() << line;
    } catch (const Error& error) {
      EXPECT_NE(std::string(error.what()).find("samples.csv:2"), std::string::npos) << error.what();
      EXPECT_EQ(error.code(), ExitCode::runtime);
    }
  }
}

}  // namespace
}  // namespace spb::report
