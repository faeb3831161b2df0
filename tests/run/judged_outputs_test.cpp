// SPDX-License-Identifier: Apache-2.0
#include "run/judged_outputs.h"

#include <gtest/gtest.h>

#include "judged_case.h"

namespace spb::run {
namespace {

TEST(JudgedOutputs, AreKnownByTheirBitsAndByWhatJudgedThem) {
  const JudgedBy by{.request = {.problem = {}, .exact = true, .seed = 1}};
  JudgedOutputs outputs;
  outputs.add(by, 7, {.evidence = {.verified_fraction = 0.5}, .mistrust = "zeros"});
  ASSERT_TRUE(outputs.find(by, 7));
  EXPECT_EQ(outputs.find(by, 7)->evidence.verified_fraction, 0.5);
  EXPECT_EQ(outputs.find(by, 7)->mistrust, "zeros");
  EXPECT_FALSE(outputs.find(by, 8));

  std::vector<JudgedBy> others(10, by);
  others[0].request.exact = false;
  others[1].request.seed = 2;
  others[2].request.fill = verify::Fill::wide_a;
  others[3].request.problem.c_out = 5;
  others[4].request.sampled = true;
  others[5].checks = Checks::elements_and_sums;
  others[6].references = References::device;
  others[7].device = true;
  others[8].model.mma_rounding = 4;
  others[9].layout = WeightLayout::c_out_last;
  for (size_t i = 0; i < others.size(); ++i) EXPECT_FALSE(outputs.find(others[i], 7)) << i;
  outputs.clear();
  EXPECT_FALSE(outputs.find(by, 7));
}

TEST(JudgedOutputs, OfStoredSubnormalsPassWhereZerosMayStandForThem) {
  const JudgedBy stores{.request = {.problem = {}, .exact = true, .seed = 1}};
  JudgedBy flushes = stores;
  flushes.flushes = true;
  JudgedOutputs outputs;
  outputs.add(stores, 7, {.evidence = {}, .mistrust = "stored"});
  ASSERT_TRUE(outputs.find(flushes, 7));
  EXPECT_EQ(outputs.find(flushes, 7)->mistrust, "stored");
  EXPECT_FALSE(outputs.find(flushes, 8));
  outputs.add(flushes, 8, {});
  EXPECT_TRUE(outputs.find(flushes, 8));
  EXPECT_FALSE(outputs.find(stores, 8));
}

TEST(EvidenceTest, KeepsTheWorstOfAll) {
  Evidence evidence;
  evidence.add({.checksum_status = VerifyStatus::pass,
                .verified_fraction = 1,
                .has_errors = true,
                .max_abs = 3,
                .checksum_rms = 0.5});
  evidence.add({.verified_fraction = 0.25, .max_abs = 2, .max_ulp = 1, .device_judged = true});
  EXPECT_EQ(evidence.checksum_status, VerifyStatus::pass);
  EXPECT_EQ(evidence.verified_fraction, 1);
  EXPECT_TRUE(evidence.has_errors);
  EXPECT_EQ(evidence.max_abs, 3);
  EXPECT_EQ(evidence.max_ulp, 1);
  EXPECT_EQ(evidence.checksum_rms, 0.5);
  EXPECT_TRUE(evidence.device_judged);
  evidence.add({.checksum_status = VerifyStatus::fail});
  EXPECT_EQ(evidence.checksum_status, VerifyStatus::fail);
}

class JudgedOnce : public JudgedCase {
 protected:
  /// Whether a case of the same data reads its outputs, as it must to judge them.
  bool reads(Defect defect, Verdict* verdict = nullptr) {
    data_.outputs = {};
    const Verdict found = verify(std::move(defect));
    if (verdict) *verdict = found;
    return !data_.outputs.main.empty();
  }
};

TEST_F(JudgedOnce, TheSameBitsHaveTheSameVerdict) {
  for (const References references : {References::host, References::both, References::device})
    for (const Direction direction : {Direction::fprop, Direction::dgrad, Direction::wgrad}) {
      problem_.direction = direction;
      options_.references = references;
      for (const double macs : {2e11, 1e4}) {  // whole and sampled
        options_.verify_macs = macs;
        Verdict first, second;
        EXPECT_TRUE(reads({}, &first)) << name(direction) << macs;
        EXPECT_FALSE(reads({}, &second)) << name(direction) << macs;
        EXPECT_FALSE(first.failed()) << first.detail;
        expect_same(second, first);
        EXPECT_EQ(second.rel_l2, first.rel_l2);
      }
    }
}

// Bounds grow with what a multiply rounds, exact sums do not.
TEST_F(JudgedOnce, WhoComputesInAnotherWayIsJudgedByItsOwnBounds) {
  const Defect tensor_core{.declare = [](Arithmetic& arithmetic) {
    arithmetic.mma_depth = 8;
    arithmetic.mma_rounding = 4;
  }};
  const Defect adds_to_memory{
      .declare = [](Arithmetic& arithmetic) { arithmetic.adds_to_memory = true; }};
  for (const bool exact : {true, false}) {
    options_.verify_exact = exact;
    options_.verify_fp = !exact;
    EXPECT_TRUE(reads({}));
    EXPECT_EQ(reads(tensor_core), !exact);
    EXPECT_FALSE(reads(adds_to_memory)) << "zeros may stand for subnormals, and none had to";
    EXPECT_FALSE(reads({}));
    problem_.c_out *= 2;  // of which nothing is known
    EXPECT_TRUE(reads(adds_to_memory));
    EXPECT_TRUE(reads({})) << "subnormals must be stored";
    problem_.c_out /= 2;
  }
}

// The bits of a right one, whose rows another reader would take for columns.
TEST_F(JudgedOnce, GradientsOfWeightsInTheOtherLayoutAreJudged) {
  problem_.direction = Direction::wgrad;
  EXPECT_EQ(verify({}).status, VerifyStatus::pass);
  Algorithm turned = fake_algorithm({});
  turned.weights = WeightLayout::c_out_last;
  EXPECT_EQ(verify_algorithm(turned).status, VerifyStatus::fail);
}

TEST_F(JudgedOnce, OthersAreJudgedAsIfNonePassed) {
  verify({});
  EXPECT_EQ(verify(adds(17, 1)).status, VerifyStatus::fail);
  EXPECT_EQ(verify(adds(17, 1)).status, VerifyStatus::fail) << "what failed is not kept";
  problem_.c_out = 16;
  EXPECT_TRUE(reads({}));
  problem_.c_out = 8;
  EXPECT_TRUE(reads({})) << "of one problem at a time";
}

}  // namespace
}  // namespace spb::run
