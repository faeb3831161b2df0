#include "run/expectation.h"

#include <cmath>
#include <gtest/gtest.h>
#include <numeric>

#include "data/generate.h"

namespace spb::run {
namespace {

using verify::Fill;

class Expectations : public testing::Test {
 protected:
  Expectation get(ExpectationRequest request) { return expect(request, voxels_, map_); }
  VoxelSet voxels_ = data::generate("sphere:16");
  MapSet map_ = reference::build_map(voxels_, {});
};

TEST_F(Expectations, ExactFillsAreThinnedUntilExact) {
  for (const Fill fill : {Fill::small, Fill::wide_a, Fill::wide_b})
    for (const DtypeInfo& dtype : dtypes()) {
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

TEST_F(Expectations, LimitOfNarrowSumsIsKept) {
  const Expectation e =
      get({.problem = {}, .fill = Fill::small, .exact = true, .max_abs_sum = 256, .seed = 1});
  EXPECT_LE(e.largest_abs_sum, 256);
}

TEST_F(Expectations, BiasGradientOfTf32AddsWhatIsStored) {
  const Problem problem{
      .geometry = {}, .c_in = 4, .c_out = 3, .dtype = Dtype::tf32, .direction = Direction::wgrad};
  const Expectation e = get({.problem = problem, .fill = Fill::relu, .seed = 1});
  ASSERT_NE(e.operands.gout, e.rounded.gout);
  double sum = 0;
  for (size_t row = 0; row < voxels_.coords.size(); ++row) sum += e.operands.gout[3 * row + 1];
  EXPECT_NEAR(e.result.bias.value[1], sum, 1e-9 * std::abs(sum));
}

TEST_F(Expectations, SamplePicksItsPartOfTheOutput) {
  Problem problem{.geometry = {}, .c_in = 2, .c_out = 20, .direction = Direction::wgrad};
  const Expectation channels =
      get({.problem = problem, .fill = Fill::relu, .sampled = true, .seed = 1});
  ASSERT_TRUE(channels.channels);
  std::vector<float> bias(20);
  std::iota(bias.begin(), bias.end(), 0.f);
  const std::vector<float> picked = channels.pick_bias(bias);
  ASSERT_EQ(picked.size(), 16u);
  EXPECT_EQ(picked.front(), 0);
  EXPECT_EQ(picked.back(), 19);

  Expectation rows;
  rows.rows = {1, 3};
  rows.result.main.cols = 2;
  EXPECT_EQ(rows.pick_main(std::vector<float>{0, 1, 2, 3, 4, 5, 6, 7}),
            (std::vector<float>{2, 3, 6, 7}));
}

}  // namespace
}  // namespace spb::run
