// SPDX-License-Identifier: Apache-2.0
// One judge on the device for all algorithms of a problem, with what it found of outputs.
#include <gtest/gtest.h>
#include <string>

#include "judged_case.h"
#include "run/run_case.h"

namespace spb::run {
namespace {

class KeptJudge : public JudgedCase {
 protected:
  KeptJudge() {
    options_.references = References::device;
    options_.verify_exact = false;
  }
};

TEST_F(KeptJudge, FindsOfTheNextAlgorithmWhatItsOwnWould) {
  for (const Direction direction : {Direction::fprop, Direction::dgrad, Direction::wgrad}) {
    problem_.direction = direction;
    for (const float error : {0x1p-9f, 1.f}) {  // within the bound, and beyond it
      const Defect defect = adds(1000, error);
      data_ = CaseData("sphere:16", data::generate("sphere:16"));
      const Verdict own = verify(defect);
      data_ = CaseData("sphere:16", data::generate("sphere:16"));
      EXPECT_EQ(verify({}).status, VerifyStatus::pass);
      ASSERT_TRUE(data_.has_device_judge(problem_));
      const Verdict by_found = verify(defect);
      EXPECT_TRUE(by_found.device_judged);
      EXPECT_EQ(by_found.status, own.status);
      EXPECT_EQ(by_found.detail, own.detail);
      EXPECT_EQ(by_found.mismatches, own.mismatches);
      EXPECT_EQ(by_found.max_tolerance_ratio, own.max_tolerance_ratio);
      EXPECT_EQ(by_found.max_ulp, own.max_ulp);
    }
  }
}

TEST_F(KeptJudge, LeavesWithItsProblem) {
  verify({});
  EXPECT_TRUE(data_.has_device_judge(problem_));
  Problem other = problem_;
  other.direction = Direction::dgrad;
  EXPECT_FALSE(data_.has_device_judge(other));
  EXPECT_FALSE(data_.has_device_judge(problem_));
  data_.judged_outputs.clear();
  verify({});
  EXPECT_TRUE(data_.drop_device_judge());
  EXPECT_FALSE(data_.drop_device_judge());
}

// Who has no memory beside it has its case run again, alone.
TEST_F(KeptJudge, MakesRoomForWhoNeedsIt) {
  verify({});
  int refused = 0, planned = 0;
  const auto run = [&](bool always) {
    const Algorithm& algorithm = fake_algorithm({.in_plan = [&, always] {
      ++planned;
      if (!always && !data_.has_device_judge(problem_)) return;
      ++refused;
      throw gpu::OutOfMemory("none left", 1);
    }});
    options_.time = false;
    data_.judged_outputs.clear();
    const CaseRows result =
        run_case(engines::Native(algorithm), problem_, data_, options_, [](const std::string&) {});
    return result.rows.at(0).text(columns::status);
  };
  EXPECT_EQ(run(false), "ok");
  EXPECT_EQ(refused, 1);
  EXPECT_TRUE(data_.has_device_judge(problem_)) << "it judged then";
  planned = 0;
  EXPECT_EQ(run(true), "oom");
  EXPECT_EQ(planned, 2);
}

}  // namespace
}  // namespace spb::run
