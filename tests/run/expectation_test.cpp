// SPDX-License-Identifier: Apache-2.0
#include "run/expectation.h"

#include <algorithm>
#include <cmath>
#include <gtest/gtest.h>
#include <numeric>
#include <vector>

#include "core/parallel.h"
#include "data/generate.h"

namespace spb::run {
namespace {

using verify::Fill;

class Expectations : public testing::Test {
 protected:
  Expectation get(const ExpectationRequest& request, const Expectation* known = nullptr) {
    return expect(request, voxels_, map_, known);
  }
  VoxelSet voxels_ = data::generate("sphere:16");
  MapSet map_ = reference::build_map(voxels_, {});
};

TEST_F(Expectations, ExactFillsAreThinnedUntilExact) {
  for (const Fill fill : {Fill::small, Fill::wide_a, Fill::wide_b})
    for (const Math& dtype : float_dtypes()) {
      const Problem problem{.geometry = {},
                            .c_in = 64,
                            .c_out = 8,
                            .dtype = dtype.dtype,
                            .direction = Direction::wgrad};
      const Expectation e = get({.problem = problem, .fill = fill, .exact = true, .seed = 1});
      EXPECT_LE(e.largest_abs_sum, 0x1p24) << verify::name(fill) << ' ' << dtype.name;
      EXPECT_GT(e.largest_abs_sum, 0);
      EXPECT_TRUE(fill == Fill::wide_a || e.bias_is_exact);
    }
}

// By the limit that is nearest: sums below 2^24, values that the type holds.
TEST_F(Expectations, ExactFillsAreThinnedNoMoreThanTheyMust) {
  int thinned = 0;
  for (const Direction direction : {Direction::fprop, Direction::dgrad, Direction::wgrad})
    for (const Dtype dtype : {Dtype::f16, Dtype::f32})
      for (const Fill fill : {Fill::small, Fill::wide_a, Fill::wide_b}) {
        const Problem problem{
            .geometry = {}, .c_in = 256, .c_out = 256, .dtype = dtype, .direction = direction};
        for (const bool sampled : {false, true}) {
          const Expectation e = get({.problem = problem,
                                     .fill = fill,
                                     .exact = true,
                                     .sampled = sampled,
                                     .sample_macs = 1e7,
                                     .sample_size = {.least_rows = 64, .channels = 8},
                                     .seed = 1});
          if (e.level == 0) continue;
          ++thinned;
          double largest = 0;
          for (const double value : e.result.main.value)
            largest = std::max(largest, std::abs(value));
          EXPECT_TRUE(e.largest_abs_sum > 0x1p24 / 4 || largest > info(dtype).output().max / 4)
              << name(direction) << ' ' << verify::name(fill) << ' ' << sampled << ' ' << e.level
              << ": " << e.largest_abs_sum << ", " << largest;
        }
      }
  EXPECT_GT(thinned, 6);
}

TEST_F(Expectations, TakeTheRowsOfASampleThatIsKnown) {
  const ExpectationRequest request{
      .problem = {}, .sampled = true, .sample_macs = 1, .sample_size = {.least_rows = 8}};
  const Expectation own = get(request);
  ASSERT_EQ(own.rows.size(), 8u);
  Expectation two;
  two.rows = {own.rows[1], own.rows[6]};
  two.pairs = verify::pairs_of_rows(map_, true, two.rows);
  const Expectation taken = get(request, &two);
  EXPECT_EQ(taken.rows, two.rows);
  const size_t cols = static_cast<size_t>(own.result.main.cols);
  ASSERT_EQ(taken.result.main.value.size(), 2 * cols);
  for (size_t j = 0; j < cols; ++j) {
    EXPECT_EQ(taken.result.main.value[j], own.result.main.value[cols + j]);
    EXPECT_EQ(taken.result.main.value[cols + j], own.result.main.value[6 * cols + j]);
  }
}

TEST_F(Expectations, ShareASampleOfOneProblemWhateverTheFill) {
  const ExpectationRequest request{.problem = {}, .sampled = true, .sample_macs = 1};
  ExpectationRequest other = request;
  other.fill = Fill::small;
  other.exact = other.drawn_apart = true;
  other.max_abs_sum = 5;
  EXPECT_TRUE(has_same_sample(request, other));
  const auto differs = [&](const auto& change) {
    ExpectationRequest changed = request;
    change(changed);
    return !has_same_sample(request, changed);
  };
  EXPECT_TRUE(differs([](auto& r) { r.problem.direction = Direction::dgrad; }));
  EXPECT_TRUE(differs([](auto& r) { r.sampled = false; }));
  EXPECT_TRUE(differs([](auto& r) { r.drawn_only = true; }));
  EXPECT_TRUE(differs([](auto& r) { r.sample_macs = 2; }));
  EXPECT_TRUE(differs([](auto& r) { ++r.sample_size.least_rows; }));
  EXPECT_TRUE(differs([](auto& r) { r.seed = 1; }));
}

/// Every number that a verdict follows from.
std::vector<double> numbers_of(const Expectation& e, const MapSet& map, int64_t n_in) {
  std::vector<double> all;
  const auto add = [&](const auto& values) { all.insert(all.end(), values.begin(), values.end()); };
  for (const HostOperands& o : {e.operands, *e.seen()}) {
    add(o.in);
    add(o.weights);
    add(o.bias);
    add(o.gout);
  }
  add(e.rows);
  for (const Expected& expected : {e.result.main, e.result.bias}) {
    add(expected.value);
    add(expected.error_scale);
    add(expected.partial_scale);
    add(expected.abs_sum);
    add(expected.terms);
  }
  if (e.request.exact)
    for (const uint64_t want : e.exact_sums(map, n_in).want) {
      all.push_back(static_cast<double>(want >> 32));
      all.push_back(static_cast<double>(want & 0xffffffff));
    }
  if (e.request.exact) return all;
  const verify::BoundedSums& sums = e.bounded_sums(map, n_in);
  add(sums.want);
  add(sums.terms);
  const std::vector<float> got(sums.want.size() / sums.vectors.size() * sums.vectors[0].size(),
                               0.125f);
  const verify::Checksum checksum = verify::check_sums(sums, got, e.request.problem.dtype, {});
  all.push_back(checksum.rms);
  all.push_back(static_cast<double>(checksum.bad_rows));
  const verify::Comparison comparison =
      verify::compare_bounded(e.result.main, std::vector<float>(e.result.main.value.size(), 0.125f),
                              e.request.problem.dtype, {});
  add(std::vector<double>{comparison.rel_l2, comparison.max_tolerance_ratio});
  return all;
}

TEST_F(Expectations, NoNumberDependsOnTheThreads) {
  const VoxelSet many = data::generate("sphere:128");  // several pieces of work for each loop
  const MapSet map = reference::build_map(many, {});
  for (const Direction direction : {Direction::fprop, Direction::dgrad, Direction::wgrad})
    for (const bool exact : {false, true})
      for (const Dtype dtype : {Dtype::tf32, Dtype::f16}) {
        const ExpectationRequest request{.problem = {.geometry = {},
                                                     .c_in = 8,
                                                     .c_out = 20,
                                                     .dtype = dtype,
                                                     .direction = direction},
                                         .fill = exact ? Fill::small : Fill::relu,
                                         .exact = exact,
                                         .sampled = true,
                                         .sample_macs = 1,
                                         .seed = 1};
        set_most_threads(1);
        const auto alone = numbers_of(expect(request, many, map), map, many.size());
        set_most_threads(5);
        const auto shared = numbers_of(expect(request, many, map), map, many.size());
        set_most_threads(0);
        EXPECT_EQ(alone, shared) << name(direction) << ' ' << info(dtype).name;
        EXPECT_GT(alone.size(), 100'000u);
      }
}

// Whoever draws the operands, the reference says the same of them.
TEST_F(Expectations, NothingDependsOnWhoDraws) {
  for (const Direction direction : {Direction::fprop, Direction::dgrad, Direction::wgrad})
    for (const Dtype dtype : {Dtype::tf32, Dtype::f16, Dtype::e4m3_bf16})
      for (const Fill fill : {Fill::small, Fill::wide_b, Fill::single_a, Fill::relu, Fill::loud})
        for (const bool sampled : {true, false}) {
          ExpectationRequest request{.problem = {.geometry = {},
                                                 .c_in = 20,
                                                 .c_out = 24,
                                                 .dtype = dtype,
                                                 .direction = direction},
                                     .fill = fill,
                                     .exact = fill != Fill::relu,
                                     .sampled = sampled,
                                     .sample_macs = 1,
                                     .sample_size = {.most_rows = 64, .least_rows = 64},
                                     .flushes = dtype == Dtype::f16,
                                     .seed = 1};
          SCOPED_TRACE(to_text(request.problem) + ' ' + verify::name(fill));
          const Expectation held = get(request);
          request.drawn_apart = true;
          const Expectation apart = get(request);
          EXPECT_EQ(apart.operands.draws == nullptr, fill == Fill::loud);
          EXPECT_EQ(apart.operands.in.empty(), fill != Fill::loud || direction == Direction::dgrad);
          EXPECT_TRUE(apart.has_operands());
          EXPECT_EQ(apart.level, held.level);
          EXPECT_EQ(apart.rows, held.rows);
          const bool samples_rows = sampled && direction != Direction::wgrad;
          EXPECT_EQ(apart.rows.size(), samples_rows ? 64u : 0u);
          EXPECT_EQ(apart.channels.has_value(), held.channels.has_value());
          for (const auto part : {&reference::Result::main, &reference::Result::bias}) {
            EXPECT_EQ((apart.result.*part).value, (held.result.*part).value);
            EXPECT_EQ((apart.result.*part).abs_sum, (held.result.*part).abs_sum);
            EXPECT_EQ((apart.result.*part).error_scale, (held.result.*part).error_scale);
          }
          const int64_t n_in = voxels_.size();
          EXPECT_EQ(apart.bounded_sums(map_, n_in).want, held.bounded_sums(map_, n_in).want);
          EXPECT_EQ(apart.seen_and_held()->in, held.seen()->in);
          EXPECT_EQ(apart.seen_and_held()->gout, held.seen()->gout);
          EXPECT_EQ(apart.seen_and_held()->weights, held.seen()->weights);
        }
}

TEST_F(Expectations, LimitOfNarrowSumsIsKept) {
  const Expectation e =
      get({.problem = {}, .fill = Fill::small, .exact = true, .max_abs_sum = 256, .seed = 1});
  EXPECT_LE(e.largest_abs_sum, 256);
}

TEST_F(Expectations, BiasGradientOfTf32AddsWhatIsStored) {
  const Problem problem{
      .geometry = {}, .c_in = 4, .c_out = 3, .dtype = Dtype::tf32, .direction = Direction::wgrad};
  const Expectation e = get({.problem = problem, .fill = Fill::relu, .seed = 1});
  ASSERT_NE(e.operands.gout, e.seen()->gout);
  double sum = 0;
  for (size_t row = 0; row < voxels_.coords.size(); ++row) sum += e.operands.gout[3 * row + 1];
  EXPECT_NEAR(e.result.bias.value[1], sum, 1e-9 * std::abs(sum));
}

// It costs little, and a channel that no sample has would have no other judge.
TEST_F(Expectations, BiasGradientIsWholeBesideAChannelSample) {
  for (const bool exact : {false, true}) {
    const Problem problem{
        .geometry = {}, .c_in = 2, .c_out = 40, .dtype = Dtype::f16, .direction = Direction::wgrad};
    ExpectationRequest request{.problem = problem, .fill = Fill::small, .exact = exact, .seed = 1};
    const Expectation whole = get(request);
    request.sampled = true;
    const Expectation sample = get(request);
    ASSERT_LT(sample.channels->out.size(), 40u);
    EXPECT_EQ(sample.result.bias.value.size(), 40u);
    ASSERT_EQ(sample.level, whole.level);
    EXPECT_EQ(sample.result.bias.value, whole.result.bias.value);
  }
}

TEST_F(Expectations, SampleKnowsItsPartOfTheOutput) {
  Problem problem{.geometry = {}, .c_in = 2, .c_out = 20, .direction = Direction::wgrad};
  const Expectation channels =
      get({.problem = problem, .fill = Fill::relu, .sampled = true, .seed = 1});
  ASSERT_TRUE(channels.channels);
  // 27 offsets of 2 x 16 channels were 864 elements, too few for a verdict: 27 x 2 x 19 are not.
  EXPECT_EQ(channels.channels->out.size(), 19u);
  std::vector<float> whole(20 * 27 * 2);
  std::iota(whole.begin(), whole.end(), 0.f);
  std::vector<float> listed;
  for (const int64_t index : channels.whole_indices())
    listed.push_back(whole[static_cast<size_t>(index)]);
  EXPECT_EQ(listed, channels.channels->pick(whole, problem));

  Expectation rows;
  rows.rows = {1, 3};
  rows.result.main.cols = 2;
  rows.result.main.value.resize(4);
  EXPECT_EQ(rows.whole_indices(), (std::vector<int64_t>{2, 3, 6, 7}));
}

}  // namespace
}  // namespace spb::run
