// SPDX-License-Identifier: Apache-2.0
// What was found of an output judges the next ones as their own sums would.
#include <cmath>
#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "core/error.h"
#include "judging.h"

namespace spb::test {
namespace {

using device_reference::DeviceReference;
using device_reference::FoundSums;

/// Stored as the problem's dtype has it.
class Stored {
 public:
  Stored(const std::vector<float>& values, const Problem& problem,
         WeightLayout layout = WeightLayout::c_out_first)
      : type_(info(problem.dtype).out), layout_(layout) {
    std::vector<std::byte> bytes(values.size() * static_cast<size_t>(info(type_).bytes));
    encode(values, type_, bytes.data());
    data_ =
        gpu::Buffer<std::byte>(allocator_, static_cast<int64_t>(bytes.size()), gpu::Tag::output);
    data_.upload(bytes, stream_);
  }
  device_reference::StoredOutput get() const { return {data_.data(), type_, layout_}; }

 private:
  Storage type_;
  WeightLayout layout_;
  gpu::Stream stream_;
  gpu::Allocator allocator_;
  gpu::Buffer<std::byte> data_;
};

void expect_equal(const Tally& a, const Tally& b) {
  EXPECT_EQ(a.compared, b.compared);
  EXPECT_EQ(a.mismatches, b.mismatches);
  EXPECT_EQ(a.max_tolerance_ratio, b.max_tolerance_ratio);
  EXPECT_EQ(a.max_abs, b.max_abs);
  EXPECT_EQ(a.max_ulp, b.max_ulp);
  // Threads add up other elements.
  EXPECT_NEAR(a.rel_l2, b.rel_l2, 1e-12 * b.rel_l2);
  EXPECT_EQ(a.mismatched.empty(), b.mismatched.empty());
}

std::vector<Problem> found_problems() {
  std::vector<Problem> all;
  for (const Direction direction : kDirections)
    for (const int channels : {5, 32, 64}) {
      Problem problem{.geometry = {}, .c_in = channels, .c_out = channels};
      problem.direction = direction;
      problem.dtype = Dtype::f16;
      problem.bias = direction == Direction::fprop;
      all.push_back(problem);
    }
  return all;
}

TEST(FoundSums, JudgeAsTheirOutputWasJudged) {
  for (const Problem& problem : found_problems()) {
    SCOPED_TRACE(std::string(name(problem.direction)) + " " + std::to_string(problem.c_in));
    const Layer layer = make_layer(problem, verify::Fill::relu, 3);
    HostOperands others = layer.operands;
    for (Floats* values : {&others.in, &others.gout, &others.weights})
      for (float& value : *values) value = -1;
    DeviceReference reference(layer.problem, layer.map, layer.n_in());
    reference.write(layer.operands, Judged::bounded);
    const std::vector<float> right = stored(layer, false);
    std::vector<float> wrong = right;
    for (size_t i = 0; i < wrong.size(); i += 7) wrong[i] += 1 + std::fabs(wrong[i]);
    FoundSums found;
    const Tally first = reference.judge(Stored(right, problem).get(), kMmaTolerance, &found);
    EXPECT_EQ(first.mismatches, 0);
    const Tally own = reference.judge(Stored(wrong, problem).get(), kMmaTolerance);
    // Bounds made of each of what is kept.
    Tolerance of_all = kMmaTolerance;
    of_all.partials = 0x1p-20;
    of_all.products = 0x1p-18;
    const Tally own_of_all = reference.judge(Stored(right, problem).get(), of_all);
    EXPECT_LT(own_of_all.max_tolerance_ratio, first.max_tolerance_ratio);
    // Operands that are written since change nothing.
    reference.write(others, Judged::bounded);
    EXPECT_GT(reference.judge(Stored(right, problem).get(), kMmaTolerance).mismatches, 0);
    expect_equal(reference.judge_by(found, Stored(right, problem).get(), kMmaTolerance), first);
    const Tally by_found = reference.judge_by(found, Stored(wrong, problem).get(), kMmaTolerance);
    EXPECT_EQ(by_found.mismatches, static_cast<int64_t>((wrong.size() + 6) / 7));
    expect_equal(by_found, own);
    EXPECT_EQ(by_found.worst, own.worst);
    expect_equal(reference.judge_by(found, Stored(right, problem).get(), of_all), own_of_all);
    // Of another arithmetic.
    Tolerance wide = kMmaTolerance;
    wide.unit = 0x1p-10;
    EXPECT_LT(reference.judge_by(found, Stored(right, problem).get(), wide).max_tolerance_ratio,
              first.max_tolerance_ratio);
  }
}

TEST(FoundSums, JudgeGradientsOfWeightsInEitherLayout) {
  Problem problem{.geometry = {}, .c_in = 3, .c_out = 4};
  problem.direction = Direction::wgrad;
  const Layer layer = make_layer(problem, verify::Fill::relu, 3);
  DeviceReference reference(layer.problem, layer.map, layer.n_in());
  reference.write(layer.operands, Judged::bounded);
  const std::vector<float> right = stored(layer, false);
  const size_t rows = 4, columns = right.size() / rows;
  std::vector<float> turned(right.size());
  for (size_t i = 0; i < right.size(); ++i) turned[i % columns * rows + i / columns] = right[i];
  FoundSums found;
  reference.judge(Stored(right, problem).get(), kMmaTolerance, &found);
  const auto by_found = [&](WeightLayout layout) {
    return reference.judge_by(found, Stored(turned, problem, layout).get(), kMmaTolerance)
        .mismatches;
  };
  EXPECT_EQ(by_found(WeightLayout::c_out_last), 0);
  EXPECT_GT(by_found(WeightLayout::c_out_first), 0);
}

TEST(FoundSums, ThatWereOverwrittenJudgeNothing) {
  const Problem problem = found_problems().front();
  const Layer layer = make_layer(problem, verify::Fill::relu, 3);
  DeviceReference reference(layer.problem, layer.map, layer.n_in());
  reference.write(layer.operands, Judged::bounded);
  const Stored right(stored(layer, false), problem);
  FoundSums found;
  reference.judge(right.get(), kMmaTolerance, &found);
  const gpu::Stream stream;
  gpu::fill_bytes(static_cast<char*>(found.data()) + reference.found_bytes() - 1, 0xAB, 1, stream);
  stream.synchronize();
  EXPECT_THROW(reference.judge_by(found, right.get(), kMmaTolerance), Error);
}

}  // namespace
}  // namespace spb::test
