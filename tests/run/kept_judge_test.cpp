// SPDX-License-Identifier: Apache-2.0
// One judge on the device for all algorithms of a problem, with what it found of outputs.
#include <gtest/gtest.h>
#include <string>

#include "core/error.h"
#include "gpu/buffer.h"
#include "judged_case.h"
#include "run/case_requests.h"
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
      ASSERT_TRUE(data_.has_device_judge());
      const Verdict by_found = verify(defect);
      EXPECT_TRUE(by_found.device_judged);
      expect_same(by_found, own);
    }
  }
}

TEST_F(KeptJudge, LeavesWithItsProblem) {
  verify({});
  data_.drop_other_judge(problem_);
  EXPECT_TRUE(data_.has_device_judge());
  Problem other = problem_;
  other.direction = Direction::dgrad;
  data_.drop_other_judge(other);
  EXPECT_FALSE(data_.has_device_judge());
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
      if (!always && !data_.has_device_judge()) return;
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
  EXPECT_FALSE(data_.has_device_judge()) << "it judged then, and left";
  verify(adds(0, 0x1p-9f));
  EXPECT_TRUE(data_.has_device_judge());
  planned = 0;
  EXPECT_EQ(run(true), "oom");
  EXPECT_EQ(planned, 2);
}

// Who stores other bits in each run is judged anew in the second try, by a new judge.
TEST_F(KeptJudge, MakesRoomOnce) {
  problem_.dtype = Dtype::f32;
  int runs = 0, planned = 0;
  const Algorithm& algorithm = fake_algorithm(
      {.after_run =
           [&](const Operands& operands, const gpu::Stream& stream) {
             const float ulps = static_cast<float>(++runs % 2) * 0x1p-22f;
             write_element(operands, problem_, 0,
                           read_element(operands, problem_, 0, stream) * (1 + ulps), stream);
           },
       .in_plan =
           [&] {
             if (++planned % 2 == 0) throw gpu::OutOfMemory("no room for a second plan", 1);
           },
       .deterministic = false});
  const CaseRows result =
      run_case(engines::Native(algorithm), problem_, data_, options_, [](const std::string&) {});
  EXPECT_EQ(result.rows.at(0).text(columns::status), "oom");
  EXPECT_EQ(planned, 4);
}

TEST_F(KeptJudge, UsesWhatItFoundOfTheSameOperandsAlone) {
  EXPECT_EQ(verify({}).status, VerifyStatus::pass);
  const CaseRequests requests(problem_, data_.reference_map(problem_.geometry), options_, {}, true);
  device_reference::FoundSums* found =
      data_.device_judge(problem_).found_of(requests.fp(verify::Fill::relu));
  ASSERT_TRUE(found);
  const gpu::Stream stream;
  gpu::fill_bytes(found->data(), 0xAB, 1, stream);
  stream.synchronize();
  EXPECT_THROW(verify(adds(1000, 0x1p-9f)), Error);
  ++options_.seed;
  EXPECT_EQ(verify({}).status, VerifyStatus::pass);
}

}  // namespace
}  // namespace spb::run
