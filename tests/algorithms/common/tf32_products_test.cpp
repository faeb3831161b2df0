// SPDX-License-Identifier: Apache-2.0
// Where products cut the bits of tf32 operands off, every operand is a copy rounded before. The
// products here round nothing at all, so that an operand left as it was shows.
#include "algorithms/common/tf32_products.h"

#include <gtest/gtest.h>
#include <random>
#include <string>
#include <tuple>
#include <utility>

#include "algorithms/device_run.h"
#include "algorithms/explicit_gemm/budget.h"

namespace spb {
namespace {

template <class T>
class Replaced {
 public:
  Replaced(T& place, T value) : place_(place), kept_(std::exchange(place, value)) {}
  ~Replaced() { place_ = kept_; }
  Replaced(const Replaced&) = delete;

 private:
  T& place_;
  T kept_;
};

using Operand = std::vector<float> naive::Inputs::*;

/// Small integers, but of one operand integers of 12 bits, of which tf32 keeps 11.
naive::Inputs integers(const Problem& problem, DeviceRun& device, Operand fine, bool rounded) {
  naive::Inputs inputs = naive::integer_inputs(problem, device.n_in(), device.n_out(), 3);
  std::mt19937 random(7);
  for (float& value : inputs.*fine) {
    value = static_cast<float>(random() % 2048 + 2048);
    if (rounded) value = round_operand(value, Dtype::tf32);
  }
  return inputs;
}

/// An algorithm, and the kernel that it is told to take, if any.
using Told = std::pair<const char*, const char*>;

struct Products : testing::TestWithParam<std::tuple<Told, const char*, const char*>> {};

TEST_P(Products, SeeRoundedOperandsOnly) {
  const auto& [told, geometry, direction] = GetParam();
  Algorithm algorithm = algorithm_named(told.first);
  if (*told.second) algorithm.choice.values["kernel"] = told.second;
  const Problem problem = parse_problem(std::string(geometry) + " c6:5 tf32 " + direction, "test");
  const VoxelSet voxels = naive::random_voxels({1, {7, 7, 7}}, 120, 5);
  const Operand in = &naive::Inputs::in, weights = &naive::Inputs::weights,
                gout = &naive::Inputs::gout;
  for (const Operand fine : {problem.direction == Direction::dgrad ? gout : in,
                             problem.direction == Direction::wgrad ? gout : weights}) {
    const auto run = [&](plans::Tf32Products products, bool rounded) {
      const Replaced mode(plans::tf32_products, products);
      const Replaced chunks(plans::im2col_budget_bytes, int64_t{27 * 6 * 4 * 50});
      DeviceRun device(algorithm, problem, voxels);
      device.set_inputs(integers(problem, device, fine, rounded));
      return device.run();
    };
    const std::vector<float> expected = run({false, Dtype::f32}, true);
    EXPECT_EQ(run({true, Dtype::f32}, false), expected);
    EXPECT_NE(run({false, Dtype::f32}, false), expected) << "the inputs show no rounding";
  }
}

INSTANTIATE_TEST_SUITE_P(
    All, Products,
    testing::Combine(testing::Values(Told("explicit_gemm", ""), Told("gather_scatter", ""),
                                     Told("gather_scatter", "cublas_grouped")),
                     testing::Values("subm k3x3x3 s1x1x1 d1x1x1", "strided k2x2x2 s2x2x2 d1x1x1"),
                     testing::Values("fprop", "dgrad", "wgrad")));

}  // namespace
}  // namespace spb
