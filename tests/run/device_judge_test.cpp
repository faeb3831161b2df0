// SPDX-License-Identifier: Apache-2.0
// Outputs that the device judges, beside the host's sample and alone.
#include "run/device_judge.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <set>

#include "gpu/buffer.h"
#include "judged_case.h"

namespace spb::run {
namespace {

class DeviceJudged : public JudgedCase {
 protected:
  /// Of whole outputs: what is right passes, and one element off by 1 outside of the sample does
  /// not.
  void expect_compared_whole() {
    const Verdict right = verify({});
    EXPECT_EQ(right.status, VerifyStatus::pass) << right.detail;
    EXPECT_TRUE(right.device_judged);
    EXPECT_EQ(right.verified_fraction, 1);
    const Verdict wrong = verify(adds(unseen(1).front(), 1));
    EXPECT_EQ(wrong.status, VerifyStatus::fail);
    EXPECT_EQ(wrong.mismatches, 1) << wrong.detail;
  }
  DeviceJudged() {
    problem_.c_in = 20;
    problem_.c_out = 18;
    data_ = CaseData("sphere:32", data::generate("sphere:32"));
    options_.references = References::both;
    options_.verify_macs = 0;
  }
  /// Elements that the host's sample leaves out, so many at most.
  std::vector<int64_t> unseen(size_t most) {
    const auto e = data_.expectation({.problem = problem_,
                                      .fill = verify::Fill::relu,
                                      .sampled = true,
                                      .sample_macs = options_.verify_macs,
                                      .seed = options_.seed});
    std::set<int64_t> seen;
    for (size_t at = 0; at < e->result.main.value.size(); ++at)
      seen.insert(e->whole_index(static_cast<int64_t>(at)));
    std::vector<int64_t> left;
    for (int64_t element = 0; left.size() < most; ++element)
      if (!seen.contains(element)) left.push_back(element);
    return left;
  }
};

TEST_F(DeviceJudged, ARightAlgorithmPassesWhole) {
  for (const Direction direction : {Direction::fprop, Direction::dgrad, Direction::wgrad}) {
    problem_.direction = direction;
    const Verdict verdict = verify({});
    EXPECT_EQ(verdict.status, VerifyStatus::pass) << verdict.detail;
    EXPECT_EQ(verdict.verified_fraction, 1) << name(direction);
    EXPECT_TRUE(verdict.device_judged);
    EXPECT_GT(verdict.max_tolerance_ratio, 0);
    EXPECT_LT(verdict.max_tolerance_ratio, 1);
    EXPECT_FALSE(verdict.checksum_rms) << "nothing is left for checksums";
    EXPECT_TRUE(lines_.empty());
  }
}

TEST_F(DeviceJudged, SeesTheElementThatTheSampleMisses) {
  for (const Direction direction : {Direction::fprop, Direction::dgrad, Direction::wgrad}) {
    problem_.direction = direction;
    const int64_t element = unseen(1).front();
    // What checksums of rows cannot see.
    for (const bool exact : {true, false}) {
      options_.verify_exact = exact;
      const Verdict verdict = verify(adds(element, 0.25f));
      EXPECT_EQ(verdict.status, VerifyStatus::fail) << name(direction);
      EXPECT_TRUE(verdict.detail.starts_with(exact ? "exact small" : "fp relu")) << verdict.detail;
      EXPECT_NE(verdict.detail.find("1 of "), std::string::npos) << verdict.detail;
      EXPECT_EQ(verdict.mismatches, 1);
    }
  }
}

TEST_F(DeviceJudged, NamesTheWrongElement) {
  problem_.direction = Direction::wgrad;
  const int64_t kernel_volume = problem_.kernel_volume();
  // Output channel 3, offset 5, input channel 7.
  EXPECT_EQ(verify(adds((3 * kernel_volume + 5) * problem_.c_in + 7, 1000)).status,
            VerifyStatus::fail);
  EXPECT_TRUE(has_line("kernel offset 5, output channel 3, input channel 7"));
  problem_.direction = Direction::fprop;
  const int64_t row = data_.voxels().size() / 2;
  EXPECT_EQ(verify(adds(row * problem_.c_out + 11, 1000)).status, VerifyStatus::fail);
  EXPECT_TRUE(has_line("row " + std::to_string(row) + " (batch 0; "));
  EXPECT_TRUE(has_line("channel 11"));
}

// Rows that are compared of many say nothing of a whole channel, and are named as they stand.
TEST_F(DeviceJudged, LinesAndHintsNameRowsOfTheWholeOutput) {
  const int64_t row = data_.voxels().size() / 2;
  const Verdict one = verify(adds(row * problem_.c_out + 11, 1000));
  EXPECT_NE(one.detail.find("worst row " + std::to_string(row) + " column 11"), std::string::npos)
      << one.detail;
  options_.references = References::device;  // the host may meet some of them first
  const Verdict many =
      verify({.after_run = [&](const Operands& operands, const gpu::Stream& stream) {
        for (int64_t wrong = row; wrong < row + 400; ++wrong)
          write_element(operands, problem_, wrong * problem_.c_out + 3,
                        wrong == row + 399 ? 1e6f : 1e4f, stream);
      }});
  EXPECT_EQ(many.mismatches, 400);
  // The worst of them, though more rows are wrong than a report looks at.
  EXPECT_NE(many.detail.find("worst row " + std::to_string(row + 399) + " column 3"),
            std::string::npos)
      << many.detail;
  EXPECT_FALSE(has_line("whole channel")) << "400 of " << data_.voxels().size() << " rows";
  const Verdict whole =
      verify({.after_run = [&](const Operands& operands, const gpu::Stream& stream) {
        for (int64_t col = 0; col < problem_.c_out; ++col)
          write_element(operands, problem_, row * problem_.c_out + col,
                        1e4f + static_cast<float>(col * col), stream);
      }});
  EXPECT_EQ(whole.mismatches, problem_.c_out);
  EXPECT_TRUE(has_line("hint: whole row " + std::to_string(row)));
}

TEST_F(DeviceJudged, SumsOfOneProductAreComparedWhole) {
  const std::vector<int64_t> elements = unseen(400);
  // Sums of the fills before are integers.
  const auto last_bit = [&](const Operands& operands, const gpu::Stream& stream) {
    for (const int64_t element : elements) {
      const float old = read_element(operands, problem_, element, stream);
      if (std::isfinite(old) && old != std::round(old))
        write_element(operands, problem_, element, std::nextafter(old, 0.f), stream);
    }
  };
  const Verdict verdict = verify({.after_run = last_bit});
  EXPECT_EQ(verdict.status, VerifyStatus::fail);
  EXPECT_TRUE(verdict.detail.starts_with("exact single_a")) << verdict.detail;
}

TEST_F(DeviceJudged, AloneItJudgesWhatTheHostDoesNot) {
  options_.references = References::device;
  options_.verify_macs = 1e18;
  EXPECT_EQ(verify({}).status, VerifyStatus::pass);
  const Verdict verdict = verify(adds(17, 1));
  EXPECT_EQ(verdict.status, VerifyStatus::fail);
  EXPECT_TRUE(verdict.device_judged);
}

TEST_F(DeviceJudged, OutputsBehindAnActivationAreComparedWhole) {
  problem_.dtype = Dtype::f16;
  for (const char* epilogue : {"relu", "residual+hswish"}) {
    problem_.epilogue = parse_epilogue(epilogue, "test");
    const Verdict right = verify({});
    EXPECT_EQ(right.status, VerifyStatus::pass) << right.detail;
    EXPECT_TRUE(right.device_judged);
    EXPECT_EQ(right.verified_fraction, 1);
    EXPECT_LT(right.max_tolerance_ratio, 1);
    for (const bool exact : {true, false}) {
      options_.verify_exact = exact;
      const Verdict wrong = verify(adds(unseen(1).front(), 4));
      EXPECT_EQ(wrong.status, VerifyStatus::fail);
      EXPECT_EQ(wrong.mismatches, 1) << wrong.detail;
    }
    options_.verify_exact = true;
  }
}

TEST_F(DeviceJudged, OutputsOfScaledDtypesAreComparedWhole) {
  problem_.c_in = 32;
  problem_.c_out = 20;
  problem_.epilogue = parse_epilogue("residual+relu", "test");
  for (const Dtype dtype : {Dtype::i8, Dtype::i8_f32, Dtype::e4m3, Dtype::e4m3_f16}) {
    problem_.dtype = dtype;
    SCOPED_TRACE(info(dtype).name);
    expect_compared_whole();
  }
}

TEST_F(DeviceJudged, SumsThemselvesAreComparedWhole) {
  problem_.c_in = 32;
  problem_.c_out = 20;
  problem_.dtype = Dtype::i8_i32;
  problem_.bias = false;
  for (const References references : {References::both, References::device}) {
    options_.references = references;
    expect_compared_whole();
  }
}

// As plug-ins may have it: the device looks at what is stored, not at a copy in the usual order.
TEST_F(DeviceJudged, GradientsInTheLayoutOfTheEngineAreJudgedAsTheyStand) {
  options_.references = References::device;
  problem_.direction = Direction::wgrad;
  problem_.c_in = 3;
  problem_.c_out = 5;
  const int64_t columns = int64_t{problem_.kernel_volume()} * problem_.c_in;
  const auto turn = [&](const Operands& operands, const gpu::Stream& stream) {
    std::vector<float> rows;
    for (int64_t i = 0; i < problem_.c_out * columns; ++i)
      rows.push_back(read_element(operands, problem_, i, stream));
    for (int64_t i = 0; i < problem_.c_out * columns; ++i)
      write_element(operands, problem_, i,
                    rows[static_cast<size_t>(i % problem_.c_out * columns + i / problem_.c_out)],
                    stream);
  };
  for (const bool is_turned : {true, false}) {
    Algorithm algorithm = fake_algorithm(is_turned ? Defect{.after_run = turn} : Defect{});
    algorithm.weights = WeightLayout::c_out_last;
    const auto contender = engines::Native(algorithm).prepare(problem_, data_.voxels(), true);
    const Verdict verdict =
        verify_case(*contender, "fake", problem_, data_, options_, [](const std::string&) {});
    EXPECT_EQ(verdict.status, is_turned ? VerifyStatus::pass : VerifyStatus::fail)
        << verdict.detail;
    EXPECT_TRUE(verdict.device_judged);
  }
}

TEST_F(DeviceJudged, TimedOutputsAreJudgedWhole) {
  const engines::Native native(fake_algorithm({}));
  const auto contender = native.prepare(problem_, data_.voxels(), false);
  const auto timed = data_.expectation(
      {.problem = problem_, .fill = verify::Fill::relu, .drawn_only = true, .seed = 5});
  const auto judged = [&](Defect defect) {
    fake_algorithm(std::move(defect));
    contender->write(timed->operands);
    contender->run(std::nullopt);
    Verdict verdict;
    verdict.status = VerifyStatus::pass;
    verify_again(
        *contender, *timed, problem_, data_, options_, [](const std::string&) {}, verdict);
    return verdict;
  };
  const Verdict right = judged({});
  EXPECT_EQ(right.status, VerifyStatus::pass) << right.detail;
  EXPECT_EQ(right.checksum_status, VerifyStatus::pass);
  EXPECT_FALSE(right.checksum_rms);
  data_.outputs = {};
  const Verdict again = judged({});
  EXPECT_TRUE(data_.outputs.main.empty()) << "the same bits were judged before";
  EXPECT_EQ(again.checksum_status, VerifyStatus::pass);
  EXPECT_TRUE(again.device_judged);
  const Verdict wrong = judged(adds(unseen(1).front(), 0.25f));
  EXPECT_EQ(wrong.status, VerifyStatus::fail);
  EXPECT_EQ(wrong.checksum_status, VerifyStatus::fail);
  EXPECT_TRUE(wrong.detail.starts_with("timed outputs: 1 of ")) << wrong.detail;
}

TEST_F(DeviceJudged, TimedOutputsBehindAnActivationAreJudgedWhole) {
  problem_.epilogue = parse_epilogue("relu", "test");
  const engines::Native native(fake_algorithm({}));
  const auto contender = native.prepare(problem_, data_.voxels(), false);
  const auto timed = data_.expectation({.problem = problem_,
                                        .fill = verify::Fill::relu,
                                        .sampled = true,
                                        .sample_macs = options_.verify_macs,
                                        .seed = options_.seed});
  for (const bool is_wrong : {false, true}) {
    fake_algorithm(is_wrong ? adds(unseen(1).front(), 4) : Defect{});
    contender->write(timed->operands);
    contender->run(std::nullopt);
    Verdict verdict;
    verdict.status = VerifyStatus::pass;
    verify_again(
        *contender, *timed, problem_, data_, options_, [](const std::string&) {}, verdict);
    const VerifyStatus status = is_wrong ? VerifyStatus::fail : VerifyStatus::pass;
    EXPECT_EQ(verdict.status, status) << verdict.detail;
    EXPECT_EQ(verdict.checksum_status, status);
    EXPECT_EQ(verdict.mismatches, int{is_wrong});
  }
}

// Neither reference is the truth because it says so.
TEST_F(DeviceJudged, ReferencesThatDifferFailTheCase) {
  const MapSet& map = data_.reference_map(problem_.geometry);
  for (const bool exact : {true, false}) {
    ExpectationRequest request{.problem = problem_,
                               .fill = exact ? verify::Fill::small : verify::Fill::relu,
                               .exact = exact,
                               .sampled = true,
                               .seed = 3};
    Expectation e = expect(request, data_.voxels(), map);
    const auto difference = [&] {
      return DeviceJudge(problem_, map, data_.voxels().size()).write(e);
    };
    EXPECT_EQ(difference(), "");
    Expected& main = e.result.main;
    std::vector<std::vector<double>*> quantities{&main.value, &main.terms, &main.abs_sum};
    if (!exact) quantities.insert(quantities.end(), {&main.error_scale, &main.partial_scale});
    for (std::vector<double>* quantity : quantities) {
      const double right = (*quantity)[5];
      (*quantity)[5] += exact ? 1 : 1e-3 * right;
      EXPECT_NE(difference().find("the references differ in element"), std::string::npos);
      (*quantity)[5] = right;
    }
    EXPECT_EQ(difference(), "");
  }
}

// Who multiplies rounds tf32 itself: were it given rounded operands, one that does not would pass.
TEST_F(DeviceJudged, AlgorithmsAreGivenOperandsAsTheyAreDrawn) {
  problem_.dtype = Dtype::tf32;
  int unrounded = 0;
  const Verdict right =
      verify({.after_run = [&](const Operands& operands, const gpu::Stream& stream) {
        std::vector<float> in(100);
        gpu::copy_to_host(in.data(), operands.in, 100 * int64_t{sizeof(float)}, stream);
        for (const float value : in) unrounded += round_operand(value, Dtype::tf32) != value;
      }});
  EXPECT_EQ(right.status, VerifyStatus::pass) << right.detail;
  EXPECT_TRUE(right.device_judged);
  EXPECT_GT(unrounded, 0);
}

// The same kernel draws for the algorithm and its judge: the host sees what both had wrong.
TEST_F(DeviceJudged, SumsOfOperandsThatAreDrawnWrongDiffer) {
  for (const Direction direction : {Direction::fprop, Direction::dgrad, Direction::wgrad}) {
    problem_.direction = direction;
    const MapSet& map = data_.reference_map(problem_.geometry);
    for (const verify::Fill fill : {verify::Fill::relu, verify::Fill::single_a}) {
      Expectation e = expect({.problem = problem_,
                              .fill = fill,
                              .exact = fill == verify::Fill::single_a,
                              .sampled = true,
                              .drawn_apart = true,
                              .seed = 3},
                             data_.voxels(), map);
      const auto difference = [&] {
        return DeviceJudge(problem_, map, data_.voxels().size()).write(e);
      };
      ASSERT_EQ(difference(), "") << name(direction);
      auto draws = *e.operands.draws;
      for (auto* operand : {&draws.in, &draws.gout})
        if (*operand) ++(*operand)->draw.seed;
      e.operands.draws = std::make_shared<const OperandDraws>(draws);
      EXPECT_NE(difference(), "") << name(direction) << ' ' << verify::name(fill);
      DeviceJudge judge(problem_, map, data_.voxels().size());
      for (int algorithm = 0; algorithm < 2; ++algorithm)
        EXPECT_NE(judge.write(e), "") << "of algorithm " << algorithm;
    }
  }
}

TEST(LacksMemory, SaysWhatIsNeededAndWhatIsFree) {
  Problem problem{.geometry = {}, .c_in = 8, .c_out = 8};
  EXPECT_FALSE(lacks_memory(problem, {}, 1000));
  for (const Direction direction : {Direction::fprop, Direction::wgrad}) {
    problem.direction = direction;
    problem.c_in = 1 << 30;
    const auto lack = lacks_memory(problem, {}, 1 << 20);
    ASSERT_TRUE(lack);
    EXPECT_TRUE(lack->starts_with("it takes 450")) << *lack;  // 2^52 bytes, and weights
  }
}

TEST(HasDeviceJudge, WhereItIsAsked) {
  EXPECT_FALSE(has_device_judge(References::host));
  EXPECT_TRUE(has_device_judge(References::both));
  EXPECT_TRUE(has_device_judge(References::device));
}

}  // namespace
}  // namespace spb::run
