// SPDX-License-Identifier: Apache-2.0
// Two references, of two sources, say the same.
#include <cmath>
#include <gtest/gtest.h>

#include "layer.h"

namespace spb::test {
namespace {

Expected on_device(const Layer& layer, bool scales, std::span<const int64_t> elements) {
  device_reference::DeviceReference reference(layer.problem, layer.map, layer.n_in());
  using device_reference::Judged;
  reference.write(layer.operands, scales ? Judged::bounded : Judged::exact);
  return reference.expect(elements);
}

void expect_same(const Expected& device, const Expected& host, const std::string& what) {
  ASSERT_EQ(device.value.size(), host.value.size()) << what;
  for (size_t i = 0; i < host.value.size(); ++i) {
    ASSERT_NEAR(device.value[i], host.value[i], 1e-13 * host.abs_sum[i]) << what << ' ' << i;
    ASSERT_NEAR(device.abs_sum[i], host.abs_sum[i], 1e-5 * host.abs_sum[i]) << what;
    ASSERT_EQ(device.terms[i], host.terms[i]) << what;
    ASSERT_EQ(device.error_scale.empty(), host.error_scale.empty()) << what;
    if (host.error_scale.empty()) continue;
    ASSERT_NEAR(device.error_scale[i], host.error_scale[i], 1e-9 * host.error_scale[i]) << what;
    ASSERT_NEAR(device.partial_scale[i], host.partial_scale[i], 1e-9 * host.partial_scale[i])
        << what;
  }
}

std::vector<Problem> problems() {
  std::vector<Problem> all;
  for (const Direction direction : kDirections)
    for (const int groups : {1, 3}) {
      Problem problem{.geometry = {}, .c_in = 5, .c_out = 7};
      problem.direction = direction;
      problem.groups = groups;
      all.push_back(problem);
      problem.geometry.kernel_size = {2, 3, 1};
      problem.geometry.stride = {2, 1, 2};
      problem.geometry.kind = ConvKind::strided;
      problem.bias = false;
      problem.epilogue.residual = direction == Direction::fprop;
      all.push_back(problem);
    }
  return all;
}

TEST(Expect, IsWhatTheReferenceOnTheHostSays) {
  uint64_t seed = 0;
  for (const Problem& problem : problems()) {
    const Layer layer = make_layer(problem, verify::Fill::uniform, ++seed);
    const std::string what = std::string(name(problem.direction)) + " of " +
                             std::to_string(problem.groups) + " groups, " + std::to_string(seed);
    expect_same(on_device(layer, true, layer.all()),
                reference::compute(layer.problem, layer.map, layer.n_in(), layer.inputs()).main,
                what);
    const Layer exact = make_layer(problem, verify::Fill::small, seed);
    expect_same(
        on_device(exact, false, exact.all()),
        reference::compute_exact(exact.problem, exact.map, exact.n_in(), exact.inputs()).main,
        what + ", exact");
  }
}

// More pairs of an offset than 64 tiles of the shortest length have.
TEST(Expect, CutsSumsOfManyPairsAsTheHostDoes) {
  Problem problem{.geometry = {}, .c_in = 2, .c_out = 1};
  problem.direction = Direction::wgrad;
  problem.geometry.kernel_size = {1, 1, 1};
  const Layer layer = make_layer(problem, verify::Fill::uniform, 3, 40);
  ASSERT_GT(layer.map.triples.size(), 64 * 256 + 256);
  expect_same(on_device(layer, true, layer.all()),
              reference::compute(layer.problem, layer.map, layer.n_in(), layer.inputs()).main,
              "many pairs");
}

TEST(Expect, TellsOfListedElementsAlone) {
  for (const Problem& problem : problems()) {
    const Layer layer = make_layer(problem, verify::Fill::uniform, 9);
    const Expected whole = on_device(layer, true, layer.all());
    const std::vector<int64_t> some{layer.elements() - 1, 0, layer.elements() / 2};
    const Expected listed = on_device(layer, true, some);
    ASSERT_EQ(listed.rows, 3);
    for (size_t i = 0; i < some.size(); ++i)
      EXPECT_EQ(listed.value[i], whole.value[static_cast<size_t>(some[i])]);
  }
}

TEST(Expect, SpecialValuesReachWhatTheHostSays) {
  for (const Direction direction : kDirections) {
    Problem problem{.geometry = {}, .c_in = 4, .c_out = 4};
    problem.direction = direction;
    const Layer layer = make_layer(problem, verify::Fill::special, 5);
    const Expected device = on_device(layer, true, layer.all());
    const Expected host =
        reference::compute(layer.problem, layer.map, layer.n_in(), layer.inputs()).main;
    int non_finite = 0;
    for (size_t i = 0; i < host.value.size(); ++i) {
      if (std::isfinite(host.value[i])) {
        ASSERT_NEAR(device.value[i], host.value[i], 1e-13 * host.abs_sum[i]);
        continue;
      }
      ++non_finite;
      ASSERT_TRUE(std::isnan(host.value[i]) ? std::isnan(device.value[i])
                                            : device.value[i] == host.value[i]);
    }
    EXPECT_GT(non_finite, 0);
  }
}

TEST(Expect, OfAMapWithoutPairsIsZeroOrTheBias) {
  Problem problem{.geometry = {}, .c_in = 2, .c_out = 3};
  for (const Direction direction : kDirections) {
    problem.direction = direction;
    Layer layer = make_layer(problem, verify::Fill::uniform, 1);
    layer.map.triples.clear();
    const Expected found = on_device(layer, true, layer.all());
    for (size_t i = 0; i < found.value.size(); ++i) {
      const bool biased = direction == Direction::fprop;
      EXPECT_EQ(found.value[i], biased ? static_cast<double>(layer.operands.bias[i % 3]) : 0.0);
      EXPECT_EQ(found.terms[i], biased ? 1 : 0);
    }
  }
}

// Scaled, with bias and residual, behind an activation; what the host has of their sums is not
// used.
TEST(Expect, EpiloguesAreThoseOfTheReferenceOnTheHost) {
  for (const Math& math : dtypes())
    for (const Problem& problem : finished_problems(math.dtype)) {
      // Which nobody claims.
      if (math.stores_sums() && (problem.bias || !problem.epilogue.is_none())) continue;
      const std::string what = to_text(problem);
      const Layer layer = make_layer(problem, verify::Fill::relu, 3);
      if (!math.is_integer())
        expect_same(on_device(layer, true, layer.all()),
                    reference::compute(layer.problem, layer.map, layer.n_in(), layer.inputs()).main,
                    what);
      for (const verify::Fill fill :
           {verify::Fill::small, verify::Fill::full, verify::Fill::loud}) {
        if (fill == verify::Fill::full && !math.is_integer()) continue;
        if (fill == verify::Fill::loud && !math.is_scaled()) continue;
        const Layer exact = make_layer(problem, fill, 4);
        expect_same(
            on_device(exact, false, exact.all()),
            reference::compute_exact(exact.problem, exact.map, exact.n_in(), exact.inputs()).main,
            what + ", exact");
      }
    }
}

}  // namespace
}  // namespace spb::test
