// SPDX-License-Identifier: Apache-2.0
#include "run/dense_layer.h"

#include <chrono>
#include <gtest/gtest.h>
#include <thread>

#include "core/error.h"
#include "data/generate.h"
#include "run/work.h"

namespace spb::run {
namespace {

Problem layer(const ConvGeometry& geometry) {
  return {geometry, 8, 16, Dtype::f32, Direction::dgrad, false};
}

std::string refusal(const Problem& problem, const Box& box) {
  const auto dense = dense_layer(problem, box);
  const auto* why = std::get_if<std::string>(&dense);
  return why ? *why : "";
}

TEST(DenseLayer, SubmanifoldsArePaddedToTheSameSize) {
  const ConvGeometry geometry{ConvKind::subm, {3, 5, 1}, {1, 1, 1}, {2, 1, 1}};
  const auto conv = std::get<gpu::DenseConv>(dense_layer(layer(geometry), {7, {9, 8, 1}}));
  EXPECT_EQ(conv.batches, 7);
  EXPECT_EQ(conv.in, (Int3{9, 8, 1}));
  EXPECT_EQ(conv.out, conv.in);
  EXPECT_EQ(conv.kernel, (Int3{3, 5, 1}));
  EXPECT_EQ(conv.dilation, (Int3{2, 1, 1}));
  EXPECT_EQ(conv.padding, (Int3{2, 2, 0}));
  EXPECT_EQ(conv.c_in, 8);
  EXPECT_EQ(conv.c_out, 16);
  EXPECT_EQ(conv.dtype, Dtype::f32);
  EXPECT_EQ(conv.direction, Direction::dgrad);
}

TEST(DenseLayer, StridedOnesHaveTheirOutputs) {
  ConvGeometry geometry{ConvKind::strided, {3, 3, 3}, {2, 2, 2}, {1, 1, 1}, Int3{0, 1, 1}};
  const auto padded = std::get<gpu::DenseConv>(dense_layer(layer(geometry), {1, {9, 8, 7}}));
  EXPECT_EQ(padded.out, (Int3{4, 4, 4}));
  EXPECT_EQ(padded.padding, (Int3{0, 1, 1}));
  EXPECT_EQ(padded.stride, (Int3{2, 2, 2}));
  geometry.padding = {};
  const auto centered = std::get<gpu::DenseConv>(dense_layer(layer(geometry), {1, {9, 8, 7}}));
  EXPECT_EQ(centered.out, (Int3{5, 4, 4}));
  EXPECT_EQ(centered.padding, (Int3{1, 1, 1}));
  geometry.output_rule = OutputRule::floor;
  EXPECT_EQ(refusal(layer(geometry), {1, {9, 8, 7}}), "") << "the same outputs on a full box";
}

TEST(DenseLayer, WhatIsNoDenseConvolutionSaysWhy) {
  const Box box{1, {8, 8, 8}};
  ConvGeometry geometry{ConvKind::inverse, {2, 2, 2}, {2, 2, 2}};
  EXPECT_EQ(refusal(layer(geometry), box), "of inverse layers");
  geometry.kind = ConvKind::generative;
  EXPECT_EQ(refusal(layer(geometry), box), "of generative layers");
  geometry.kind = ConvKind::strided;
  EXPECT_EQ(refusal(layer(geometry), box), "");
  EXPECT_EQ(refusal(layer(geometry), {1, {8, 7, 8}}), "has the 4x4x4 outputs of this layer")
      << "ceil(7 / 2), and no padding";
  geometry.kernel_size = {3, 3, 3};
  geometry.output_extent = OutputExtent::complete;
  EXPECT_EQ(refusal(layer(geometry), box), "has the 5x5x5 outputs of this layer");
  Problem grouped = layer({});
  grouped.groups = 2;
  EXPECT_EQ(refusal(grouped, box), "of several groups of channels");
  EXPECT_EQ(refusal(layer({}), {1, {0, 0, 0}}), "of a box without cells");
}

TEST(DenseLayer, UseHasThreeWords) {
  EXPECT_EQ(parse_dense_use("off", "--dense"), DenseUse::off);
  EXPECT_EQ(parse_dense_use("auto", "--dense"), DenseUse::automatic);
  EXPECT_EQ(parse_dense_use("on", "--dense"), DenseUse::on);
  EXPECT_THROW(parse_dense_use("yes", "--dense"), Error);
}

/// Convolves nothing, in this time.
struct FakePlan final : gpu::DenseConvPlan {
  FakePlan(std::string source, int us) : source_(std::move(source)), us_(us) {}
  void run() const override { std::this_thread::sleep_for(std::chrono::microseconds(us_)); }
  const std::string& source() const override { return source_; }
  const std::string source_;
  const int us_;
};
/// Of two algorithms, the slower one first; refuses 9 output channels.
struct FakeLibrary final : gpu::DenseConvLibrary {
  std::optional<std::string> unsupported(const gpu::DenseConv&) const override { return {}; }
  std::vector<std::unique_ptr<gpu::DenseConvPlan>> plans(const gpu::DenseConv& conv,
                                                         const gpu::DenseConvBuffers& buffers,
                                                         const gpu::Stream&) const override {
    ++searches;
    EXPECT_TRUE(buffers.in && buffers.weights && buffers.out && buffers.workspace);
    if (conv.c_out == 9) throw Error(ExitCode::runtime, "fake: not 9");
    std::vector<std::unique_ptr<gpu::DenseConvPlan>> all;
    all.push_back(std::make_unique<FakePlan>("fake 1.0 slow NDHWC", 2000));
    all.push_back(std::make_unique<FakePlan>("fake 1.0 direct NDHWC", 0));
    return all;
  }
  mutable int searches = 0;
};

class DenseConvOfCase : public testing::Test {
 protected:
  bench::DenseConvTime time(CaseData& data, DenseUse use, const Problem& problem = layer({})) {
    return dense_conv_time(problem, data, use, opened_,
                           [&](const std::string& line) { lines_.push_back(line); });
  }
  int searches() const { return static_cast<const FakeLibrary&>(*opened_.library).searches; }

  const gpu::OpenedDenseConv opened_{std::make_unique<FakeLibrary>(), "fake 1.0"};
  CaseData full_{"box:4,4,4", data::generate("box:4,4,4")};
  CaseData sparse_{"random:4,0.5", data::generate("random:4,0.5")};
  std::vector<std::string> lines_;
};

TEST_F(DenseConvOfCase, WithoutVoxelsThereIsNoneToSpeakOf) {
  CaseData empty("empty", VoxelSet{});
  EXPECT_EQ(occupancy(empty.voxels()), 0);
  EXPECT_EQ(time(empty, DenseUse::automatic).time_us, 0);
  EXPECT_EQ(lines_.size(), 0u) << lines_.front();
  EXPECT_EQ(time(empty, DenseUse::on).time_us, 0);
  EXPECT_EQ(lines_.size(), 1u) << "who asks is told";
}

TEST_F(DenseConvOfCase, FullBoxesHaveOneUnlessItIsOff) {
  EXPECT_EQ(occupancy(full_.voxels()), 1);
  EXPECT_EQ(occupancy(sparse_.voxels()), 0.5);
  EXPECT_EQ(time(full_, DenseUse::off).time_us, 0);
  EXPECT_EQ(time(sparse_, DenseUse::automatic).time_us, 0);
  EXPECT_EQ(searches(), 0);
  EXPECT_EQ(time(full_, DenseUse::automatic).source, "fake 1.0 direct NDHWC");
  EXPECT_GT(time(sparse_, DenseUse::on).time_us, 0) << "of the bounding box";
  EXPECT_TRUE(lines_.empty()) << lines_.front();
}

TEST_F(DenseConvOfCase, EachProblemIsMeasuredOnce) {
  const double first = time(full_, DenseUse::on).time_us;
  EXPECT_EQ(time(full_, DenseUse::on).time_us, first);
  EXPECT_EQ(searches(), 1);
  Problem other = layer({});
  other.direction = Direction::wgrad;
  time(full_, DenseUse::on, other);
  EXPECT_EQ(searches(), 2);
}

TEST_F(DenseConvOfCase, WhyThereIsNoneIsToldOnceASet) {
  Problem refused = layer({});
  refused.c_out = 9;
  EXPECT_EQ(time(full_, DenseUse::automatic, refused).time_us, 0);
  EXPECT_EQ(time(full_, DenseUse::automatic, refused).time_us, 0);
  EXPECT_EQ(searches(), 1) << "what failed is not tried again";
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_EQ(
      lines_[0],
      "warning: no dense convolution: f32 dgrad 1 in 4x4x4 out 4x4x4 kernel 3x3x3 stride 1x1x1 "
      "dilation 1x1x1 padding 1x1x1 8:9: fake: not 9");
  refused.groups = 2;
  time(full_, DenseUse::automatic, refused);
  ASSERT_EQ(lines_.size(), 2u);
  EXPECT_EQ(lines_[1], "warning: no dense convolution: none of several groups of channels");
}

TEST_F(DenseConvOfCase, BoxesBeyondMemoryAreRefusedUnallocated) {
  VoxelSet two{{{0, 0, 0, 0}, {0, 99999, 99999, 99999}}, {1, {100000, 100000, 100000}}, {0, 0, 0}};
  CaseData huge("two", std::move(two));
  EXPECT_EQ(time(huge, DenseUse::on).time_us, 0);
  EXPECT_EQ(searches(), 0);
  ASSERT_EQ(lines_.size(), 1u);
  EXPECT_NE(lines_[0].find("8:16: its tensors take 96000000 GB, more than half of the free "),
            std::string::npos)
      << lines_[0];
}

TEST_F(DenseConvOfCase, AbsenceIsSilentUnlessItWasAskedForOrTheVendorHasOne) {
  const gpu::OpenedDenseConv none{nullptr, "no such library"};
  const auto report = [&](const std::string& line) { lines_.push_back(line); };
  dense_conv_time(layer({}), full_, DenseUse::automatic, none, report);
  EXPECT_EQ(lines_.size(), gpu::vendor_has_dense_conv() ? 1u : 0u);
  dense_conv_time(layer({}), full_, DenseUse::on, none, report);
  dense_conv_time(layer({}), full_, DenseUse::on, none, report);
  EXPECT_EQ(lines_, std::vector<std::string>{"warning: no dense convolution: no such library"});
}

TEST(DenseColumns, AreOfRowsThatHaveTheWorkInTheirTime) {
  Record row;
  row[columns::time_median_us] = 50.0;
  add_dense_conv(row, Phase::plan, {20, "fake"});
  add_dense_conv(row, Phase::kernel, {});
  EXPECT_FALSE(row.number(columns::dense_conv_us));
  add_dense_conv(row, Phase::kernel, {20, "fake"});
  EXPECT_EQ(row.number(columns::dense_conv_us), 20);
  EXPECT_EQ(row.number(columns::dense_conv_pct), 40);
  EXPECT_EQ(row.text(columns::dense_conv_source), "fake");
}

}  // namespace
}  // namespace spb::run
