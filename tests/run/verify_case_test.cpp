// SPDX-License-Identifier: Apache-2.0
#include "run/verify_case.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>

#include "gpu/buffer.h"
#include "judged_case.h"

namespace spb::run {
namespace {

class VerifyCase : public JudgedCase {
 protected:
  /// Stores a NaN after some runs; they are numbered from 0.
  Defect nan_in(std::function<bool(int)> is_wrong) {
    return {.after_run = [this, is_wrong, run = 0](const Operands& operands,
                                                   const gpu::Stream& stream) mutable {
      if (is_wrong(run++)) write_element(operands, problem_, 17, NAN, stream);
    }};
  }
};

TEST_F(VerifyCase, RightAlgorithmPasses) {
  const Verdict verdict = verify({});
  EXPECT_EQ(verdict.status, VerifyStatus::pass) << verdict.detail;
  EXPECT_EQ(verdict.map_status, VerifyStatus::pass);
  EXPECT_EQ(verdict.modes, "exact,fp");
  EXPECT_EQ(verdict.verified_fraction, 1);
  EXPECT_GT(verdict.max_tolerance_ratio, 0);
  EXPECT_LT(verdict.max_tolerance_ratio, 1);
  EXPECT_TRUE(lines_.empty());
}

TEST_F(VerifyCase, CountsTheRunsThatItJudged) {
  // The first run, three of each of four fills, one of three, the repeats.
  EXPECT_GE(verify({}).judged_runs, 1 + 4 * 3 + 3 + 4);
  options_.verify_exact = false;
  EXPECT_LE(verify({}).judged_runs, 1 + 3 + 64) << "special values were tried before";
  // First run and three of fp mode: repeats may differ, and are left out.
  EXPECT_EQ(verify({.deterministic = false}).judged_runs, 1 + 3);
  options_.verify_fp = false;
  EXPECT_EQ(verify({}).judged_runs, 0);
}

TEST_F(VerifyCase, FirstRunOfAPlanIsJudged) {
  const auto is_first = [](int run) { return run == 0; };
  for (const Direction direction : {Direction::fprop, Direction::dgrad, Direction::wgrad})
    for (const bool exact : {true, false})
      for (const bool deterministic : {true, false}) {
        problem_.direction = direction;
        options_.verify_exact = exact;
        Defect defect = nan_in(is_first);
        defect.deterministic = deterministic;
        const Verdict verdict = verify(std::move(defect));
        EXPECT_EQ(verdict.status, VerifyStatus::fail) << name(direction) << exact << deterministic;
        EXPECT_NE(verdict.detail.find("first run of the plan"), std::string::npos)
            << verdict.detail;
      }
}

TEST_F(VerifyCase, WhatGoesWrongInEvery16thRunFails) {
  for (int phase = 0; phase < 16; ++phase) {
    const Verdict verdict = verify(nan_in([=](int run) { return run % 16 == phase; }));
    EXPECT_EQ(verdict.status, VerifyStatus::fail) << phase;
  }
}

// A repeat that stores nothing must not be taken for the one before.
TEST_F(VerifyCase, ARepeatThatLeavesOutAnElementFails) {
  float before = 0;
  int run = 0;
  const Verdict verdict = verify({.before_run =
                                      [&](const Operands& operands, const gpu::Stream& stream) {
                                        before = read_element(operands, problem_, 17, stream);
                                      },
                                  .after_run =
                                      [&](const Operands& operands, const gpu::Stream& stream) {
                                        if (run++ == 6)
                                          write_element(operands, problem_, 17, before, stream);
                                      }});
  EXPECT_NE(verdict.detail.find("repeat 2"), std::string::npos) << verdict.detail;
}

// Nobody repeats it: a run that may differ is judged before the next one overwrites it.
TEST_F(VerifyCase, EachRunThatMayDifferIsJudged) {
  options_.verify_exact = false;
  for (int wrong : {0, 2, 3, 4}) {  // 1 is on other data
    Defect defect = nan_in([=](int run) { return run == wrong; });
    defect.deterministic = false;
    EXPECT_EQ(verify(std::move(defect)).status, VerifyStatus::fail) << wrong;
  }
}

TEST_F(VerifyCase, OneWrongElementFailsWithReport) {
  const Verdict verdict = verify(adds(17, 1));
  EXPECT_EQ(verdict.status, VerifyStatus::fail);
  EXPECT_EQ(verdict.mismatches, 1);
  EXPECT_NE(verdict.detail.find("exact small"), std::string::npos) << verdict.detail;
  EXPECT_NE(verdict.detail.find("row 2 column 1"), std::string::npos) << verdict.detail;
  EXPECT_FALSE(lines_.empty());
}

TEST_F(VerifyCase, StrayWriteFailsAtItsGuard) {
  const Verdict verdict =
      verify({.after_run = [&](const Operands& operands, const gpu::Stream& stream) {
        write_element(operands, problem_, data_.voxels().size() * problem_.c_out, 0, stream);
      }});
  EXPECT_NE(verdict.detail.find("guard of output buffer"), std::string::npos) << verdict.detail;
}

TEST_F(VerifyCase, OverwrittenInputFails) {
  const Verdict verdict = verify({.after_run = [](const Operands& o, const gpu::Stream& stream) {
    gpu::fill_bytes(const_cast<void*>(o.in), 1, 4, stream);
  }});
  EXPECT_NE(verdict.detail.find("input"), std::string::npos) << verdict.detail;
}

TEST_F(VerifyCase, DifferenceBetweenRunsFailsWhenClaimedOtherwise) {
  int runs = 0;
  const auto flicker = [&](const Operands& operands, const gpu::Stream& stream) {
    if (++runs % 2 == 0) return;
    const float old = read_element(operands, problem_, 0, stream);
    write_element(operands, problem_, 0, std::nextafter(old, 1e9f), stream);
  };
  options_.verify_exact = false;
  EXPECT_EQ(verify({.after_run = flicker, .deterministic = true}).status, VerifyStatus::fail);
  const Verdict verdict = verify({.after_run = flicker, .deterministic = false});
  EXPECT_EQ(verdict.status, VerifyStatus::pass) << verdict.detail;
  EXPECT_FALSE(verdict.deterministic);
}

TEST_F(VerifyCase, ChecksumSeesWhatTheSampleMisses) {
  data_ = CaseData("sphere:64", data::generate("sphere:64"));
  options_.verify_macs = 0;
  options_.references = References::host;
  const std::vector<int64_t> rows =
      verify::sample_rows(problem_, data_.voxels(), data_.reference_map(problem_.geometry),
                          options_.verify_macs, options_.seed);
  int64_t unseen = 0;
  while (std::ranges::binary_search(rows, unseen)) ++unseen;
  ASSERT_LT(unseen, data_.voxels().size());

  const Verdict right = verify({});
  EXPECT_EQ(right.status, VerifyStatus::pass) << right.detail;
  EXPECT_EQ(right.checksum_status, VerifyStatus::pass);
  EXPECT_LT(right.verified_fraction, 1);
  const Verdict wrong = verify(adds(unseen * problem_.c_out, 1));
  EXPECT_EQ(wrong.status, VerifyStatus::fail);
  EXPECT_NE(wrong.detail.find("checksum of 1 rows wrong"), std::string::npos) << wrong.detail;
}

// Sums of products say nothing of outputs behind an activation, but where it changes none of them.
TEST_F(VerifyCase, ChecksumSeesBehindAnActivationWhatTheSampleMisses) {
  data_ = CaseData("sphere:64", data::generate("sphere:64"));
  options_.verify_macs = 0;
  options_.references = References::host;
  problem_.epilogue = {.activation = Activation::hswish, .residual = true};
  const std::vector<int64_t> rows =
      verify::sample_rows(problem_, data_.voxels(), data_.reference_map(problem_.geometry),
                          options_.verify_macs, options_.seed);
  int64_t unseen = 0;
  while (std::ranges::binary_search(rows, unseen)) ++unseen;
  const Verdict right = verify({});
  EXPECT_EQ(right.status, VerifyStatus::pass) << right.detail;
  EXPECT_EQ(right.checksum_status, VerifyStatus::pass);
  const Verdict wrong = verify(adds(unseen * problem_.c_out, 1));
  EXPECT_EQ(wrong.status, VerifyStatus::fail);
  EXPECT_NE(wrong.detail.find("fp lifted"), std::string::npos) << wrong.detail;
  EXPECT_NE(wrong.detail.find("checksum of 1 rows wrong"), std::string::npos) << wrong.detail;

  problem_.epilogue.residual = problem_.bias = false;
  const Verdict sampled = verify({});
  EXPECT_EQ(sampled.status, VerifyStatus::pass) << sampled.detail;
  EXPECT_EQ(sampled.checksum_status, VerifyStatus::not_run) << "no sum is known to be above 3";
}

TEST_F(VerifyCase, SpecialValuesAreTriedWithEachEpilogue) {
  EXPECT_EQ(verify({}).status, VerifyStatus::pass);
  problem_.epilogue = {.activation = Activation::relu};
  const int64_t elements = data_.voxels().size() * problem_.c_out;
  const Defect loses_nan{.after_run = [&](const Operands& operands, const gpu::Stream& stream) {
    for (int64_t i = 0; i < elements; ++i)
      if (std::isnan(read_element(operands, problem_, i, stream)))
        write_element(operands, problem_, i, 0, stream);
  }};
  const Verdict verdict = verify(loses_nan);
  EXPECT_EQ(verdict.status, VerifyStatus::fail);
  EXPECT_TRUE(verdict.detail.starts_with("fp special: ")) << verdict.detail;
}

TEST_F(VerifyCase, DefectThatComesAfterTimingIsSeen) {
  const Algorithm& algorithm = fake_algorithm({});
  const auto contender = engines::Native(algorithm).prepare(problem_, data_.voxels(), false);
  const auto timed = data_.expectation(
      {.problem = problem_, .fill = verify::Fill::relu, .drawn_only = true, .seed = 5});
  contender->write(timed->operands);
  contender->run(std::nullopt);
  Verdict verdict;
  verdict.status = VerifyStatus::pass;
  verify_again(
      *contender, *timed, problem_, data_, options_, [](const std::string&) {}, verdict);
  EXPECT_EQ(verdict.status, VerifyStatus::pass) << verdict.detail;
  EXPECT_EQ(verdict.checksum_status, VerifyStatus::pass);

  fake_algorithm(adds(3, 100));
  contender->write(timed->operands);
  contender->run(std::nullopt);
  verify_again(
      *contender, *timed, problem_, data_, options_, [](const std::string&) {}, verdict);
  EXPECT_EQ(verdict.status, VerifyStatus::fail);
  EXPECT_NE(verdict.detail.find("timed outputs"), std::string::npos) << verdict.detail;
}

TEST(ArithmeticModel, HoldsWhatTheClassNames) {
  Arithmetic arithmetic;
  arithmetic.dtype = Dtype::f16;
  EXPECT_EQ(class_of(arithmetic), "f16");
  arithmetic.partials = Dtype::bf16;
  arithmetic.accumulator = Dtype::f16;
  arithmetic.mma_depth = 16;
  arithmetic.mma_rounding = 4;
  EXPECT_EQ(class_of(arithmetic), "f16+partials=bf16+acc=f16");
  const auto model = arithmetic_model(arithmetic);
  EXPECT_EQ(model.mma_depth, 16);
  EXPECT_EQ(model.mma_rounding, 4);
  EXPECT_EQ(model.partials, Dtype::bf16);
  EXPECT_EQ(model.accumulator, Dtype::f16);
  EXPECT_EQ(model.atomics, Dtype::f32);
  EXPECT_FALSE(model.flushes_subnormals);
  arithmetic.flushes_subnormals = true;
  EXPECT_EQ(class_of(arithmetic), "f16+partials=bf16+acc=f16+ftz");
  EXPECT_TRUE(arithmetic_model(arithmetic).flushes_subnormals);
}

}  // namespace
}  // namespace spb::run
