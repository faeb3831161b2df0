// SPDX-License-Identifier: Apache-2.0
#include "algorithms/naive.h"

#include <algorithm>
#include <random>
#include <set>

#include "core/tensors.h"
#include "maps/brute_force.h"

namespace spb::naive {

VoxelSet random_voxels(const Box& box, int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  const auto below = [&](int32_t bound) {
    return static_cast<int32_t>(random() % static_cast<uint32_t>(bound));
  };
  std::set<Coord> cells;
  for (int64_t i = 0; i < count; ++i)
    cells.insert(
        {below(box.batch_size), below(box.shape[0]), below(box.shape[1]), below(box.shape[2])});
  VoxelSet voxels{{cells.begin(), cells.end()}, box, {}};
  std::shuffle(voxels.coords.begin(), voxels.coords.end(), random);
  return voxels;
}

MapSet build_map(const VoxelSet& voxels, const ConvGeometry& geometry) {
  return brute::map_set(voxels, geometry);
}

std::vector<float> integers(int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) value = static_cast<float>(static_cast<int>(random() % 9) - 4);
  return values;
}

namespace {

/// Odd ones of 13 bits, of which tf32 holds 11. Sums of some thousand products with small ones stay
/// below 2^24 by ten standard deviations.
std::vector<float> wide_integers(int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::vector<float> values(static_cast<size_t>(count));
  for (float& value : values) {
    const auto magnitude = static_cast<float>(4097 + 2 * (random() % 2048));
    value = random() % 2 != 0 ? magnitude : -magnitude;
  }
  return values;
}

}  // namespace

Inputs integer_inputs(const Problem& problem, int64_t n_in, int64_t n_out, uint32_t seed) {
  Inputs inputs{integers(n_in * problem.c_in, seed), integers(weight_count(problem), seed + 1),
                integers(problem.c_out, seed + 2), integers(n_out * problem.c_out, seed + 3),
                integers(n_out * problem.c_out, seed + 4)};
  if (problem.dtype != Dtype::tf32x3) return inputs;
  auto& gathered = problem.direction == Direction::dgrad ? inputs.gout : inputs.in;
  auto& other = problem.direction == Direction::wgrad ? inputs.gout : inputs.weights;
  std::vector<float>& wide = seed % 2 == 0 ? gathered : other;
  wide = wide_integers(static_cast<int64_t>(wide.size()), seed);
  return inputs;
}

Epilogue epilogue_of(const Problem& problem, uint32_t seed) {
  constexpr const char* kEpilogues[] = {"none",     "relu",          "leaky_relu:0.25",
                                        "residual", "residual+relu", "residual+hswish"};
  if (problem.direction != Direction::fprop) return {};
  std::mt19937 random(seed);
  return parse_epilogue(kEpilogues[random() % std::size(kEpilogues)], "test");
}

namespace {

/// Of an exact sum, as fp32 gives it.
double activated(double sum, const Epilogue& epilogue) {
  switch (epilogue.activation) {
    case Activation::none:
      break;
    case Activation::relu:
      return std::max(sum, 0.0);
    case Activation::leaky_relu:
      return std::max(sum, 0.0) + double{epilogue.slope} * std::min(sum, 0.0);
    case Activation::hswish:
      // Integers times at most 6 are exact; one sixth is rounded, and the product with it.
      return double{static_cast<float>(sum * std::clamp(sum + 3, 0.0, 6.0)) * (1.f / 6)};
  }
  return sum;
}

}  // namespace

std::vector<float> compute(const Problem& problem, const MapSet& map, int64_t n_in,
                           const Inputs& inputs) {
  const auto c_in = static_cast<size_t>(problem.c_in), c_out = static_cast<size_t>(problem.c_out);
  const auto kv = static_cast<size_t>(problem.kernel_volume());
  const auto groups = static_cast<size_t>(problem.groups);
  const size_t group_in = c_in / groups, group_out = c_out / groups;
  const size_t n_out = map.out_coords.size();
  const bool fprop = problem.direction == Direction::fprop;
  const bool dgrad = problem.direction == Direction::dgrad;
  std::vector<double> sums(fprop   ? n_out * c_out
                           : dgrad ? static_cast<size_t>(n_in) * c_in
                                   : c_out * kv * group_in);
  if (fprop && problem.bias)
    for (size_t i = 0; i < sums.size(); ++i) sums[i] = double{inputs.bias[i % c_out]};
  for (const Triple& t : map.triples)
    for (size_t co = 0; co < c_out; ++co)
      for (size_t ci = 0; ci < group_in; ++ci) {
        const size_t w = (co * kv + static_cast<size_t>(t.offset)) * group_in + ci;
        const size_t p = static_cast<size_t>(t.in) * c_in + co / group_out * group_in + ci;
        const size_t u = static_cast<size_t>(t.out) * c_out + co;
        if (fprop)
          sums[u] += double{inputs.in[p]} * double{inputs.weights[w]};
        else if (dgrad)
          sums[p] += double{inputs.gout[u]} * double{inputs.weights[w]};
        else
          sums[w] += double{inputs.gout[u]} * double{inputs.in[p]};
      }
  std::vector<float> rounded(sums.size());
  for (size_t i = 0; i < sums.size(); ++i) {
    if (problem.epilogue.residual) sums[i] += double{inputs.residual[i]};
    rounded[i] = round_output(activated(sums[i], problem.epilogue), problem.dtype);
  }
  return rounded;
}

std::vector<float> bias_gradient(const Problem& problem, const std::vector<float>& gout) {
  std::vector<double> sums(static_cast<size_t>(problem.c_out));
  for (size_t i = 0; i < gout.size(); ++i) sums[i % sums.size()] += double{gout[i]};
  return {sums.begin(), sums.end()};
}

}  // namespace spb::naive
