// SPDX-License-Identifier: Apache-2.0
#include "run/verify_shapes.h"

#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <optional>
#include <utility>
#include <vector>

#include "core/split_mix.h"
#include "core/tensors.h"
#include "reference/reference.h"

namespace spb::run {
namespace {

/// The least number that tiles of 16, 32, 64, 128, 192 and 256 rows divide.
constexpr int64_t kWholeTiles = 768;
constexpr int kBatches = 2, kEdge = 10;  // of a batch's cells: three to eight in ten are taken
constexpr int kFewChannels = 32;

struct Shape {
  int64_t rows;
  bool odd_channels;
  uint64_t seed;  ///< of the cells
};
constexpr Shape kShapes[] = {{kWholeTiles, false, 1},
                             {kWholeTiles, false, 2},  // new coords of as many rows
                             {kWholeTiles + 1, true, 3},
                             {kWholeTiles - 1, false, 4}};

/// So many cells of two batches, in random order.
VoxelSet random_voxels(int64_t rows, uint64_t seed) {
  VoxelSet voxels;
  voxels.box = {kBatches, {kEdge, kEdge, kEdge}};
  std::vector<Coord> cells;
  for (int b = 0; b < kBatches; ++b)
    for (int i = 0; i < kEdge * kEdge * kEdge; ++i)
      cells.push_back({b, i / (kEdge * kEdge), i / kEdge % kEdge, i % kEdge});
  SplitMix random(seed, 11);
  for (auto left = static_cast<uint32_t>(cells.size()); voxels.size() < rows; --left) {
    std::swap(cells[random.below(left)], cells[left - 1]);
    voxels.coords.push_back(cells[left - 1]);
  }
  return voxels;
}

/// `odd`: an odd number of `step` channels.
int few(int channels, bool odd, int step = 1) {
  return odd ? std::min(channels, kFewChannels) | step : std::min(channels, kFewChannels);
}

/// The same layer with few channels, its groups of as many as before.
Problem with_few_channels(Problem problem, bool odd) {
  if (problem.groups > 1) {
    const int in = problem.c_in / problem.groups, out = problem.c_out / problem.groups;
    problem.groups = few(problem.groups, odd);
    problem.c_in = problem.groups * in;
    problem.c_out = problem.groups * out;
  } else {
    const int step = info(problem.dtype).is_scaled() ? 4 : 1;  // which rows need
    problem.c_in = few(problem.c_in, odd, step);
    problem.c_out = few(problem.c_out, odd, step);
  }
  return problem;
}

/// The tensor that the sum of a direction's output goes over.
const Floats& counterpart(const HostOperands& all, Direction direction) {
  return direction == Direction::fprop   ? all.gout
         : direction == Direction::dgrad ? all.in
                                         : all.weights;
}

}  // namespace

std::string adjoint_fault(const engines::Implementation& algorithm, const Problem& problem,
                          const VoxelSet& voxels, uint64_t seed) {
  constexpr Direction kDirections[] = {Direction::fprop, Direction::dgrad, Direction::wgrad};
  CaseData data("adjoint", voxels);
  const auto of = [&](Direction direction) {
    Problem layer = problem;
    layer.direction = direction;
    layer.bias = false;
    layer.epilogue = {};  // which is not linear
    return layer;
  };
  const MapSet& map = data.reference_map(problem.geometry);
  const MapSize size{input_rows(map, voxels), static_cast<int64_t>(map.out_coords.size())};
  int level = 0;
  const auto draw = [&](Direction direction) {
    return verify::fill_operands(of(direction), size.n_in, size.n_out, verify::Fill::small, level,
                                 seed);
  };
  const auto is_stored_exactly = [&](double value) {
    return static_cast<double>(round_output(value, problem.dtype)) == value;
  };
  const auto is_exact = [&](Direction direction) {
    const HostOperands o = draw(direction);
    const reference::Inputs inputs{o.in, o.weights, o.bias, o.gout, o.residual};
    const Expected out = reference::compute_exact(of(direction), map, size.n_in, inputs).main;
    return verify::exact_enough(out, problem.dtype) &&
           std::ranges::all_of(out.value, is_stored_exactly);
  };
  // As sparse as the direction with the largest sums needs it.
  while (!std::ranges::all_of(kDirections, is_exact)) ++level;
  HostOperands all = draw(Direction::wgrad);
  all.weights = draw(Direction::fprop).weights;

  std::optional<uint64_t> sum;
  std::string sums;
  bool differ = false;
  for (const Direction direction : kDirections) {
    const Problem layer = of(direction);
    if (algorithm.unsupported(layer)) continue;
    const auto contender = algorithm.prepare(layer, voxels, true);
    contender->write(draw(direction));
    contender->run(uint8_t{0xFF});
    contender->read(data.outputs);
    uint64_t own = 0;  // modulo 2^64
    const Floats& other = counterpart(all, direction);
    for (size_t i = 0; i < data.outputs.main.size(); ++i)
      own += static_cast<uint64_t>(static_cast<int64_t>(data.outputs.main[i]) *
                                   static_cast<int64_t>(other[i]));
    differ = differ || (sum && own != *sum);
    sum = own;
    sums += fmt::format("{}{} {}", sums.empty() ? "" : ", ", name(direction),
                        static_cast<int64_t>(own));
  }
  return differ ? "adjoint: sums of the directions differ: " + sums : "";
}

void verify_shapes(const engines::Implementation& algorithm, const Problem& problem,
                   const RunOptions& options, const Report& report, Verdict& verdict) {
  RunOptions exact = options;
  exact.verify_exact = true;
  exact.verify_fp = false;
  const auto fail = [&](const std::string& detail) {
    verdict.status = VerifyStatus::fail;
    verdict.detail = detail;
  };
  std::unique_ptr<CaseData> earlier_data;       // outlives its contender
  std::unique_ptr<engines::Contender> earlier;  // whose plan what comes next must not take
  for (const Shape& shape : kShapes) {
    const Problem layer = with_few_channels(problem, shape.odd_channels);
    if (algorithm.unsupported(layer)) continue;
    auto data = std::make_unique<CaseData>("shapes", random_voxels(shape.rows, shape.seed));
    auto contender = algorithm.prepare(layer, data->voxels(), true);
    const Verdict found = verify_case(*contender, algorithm.name(), layer, *data, exact, report);
    if (found.failed())
      return fail(fmt::format("{} rows, {} to {} channels: {}", shape.rows, layer.c_in, layer.c_out,
                              found.detail));
    earlier = std::move(contender);
    earlier_data = std::move(data);
  }
  if (!info(problem.dtype).is_scaled()) {
    const Problem layer = with_few_channels(problem, false);
    const std::string fault =
        adjoint_fault(algorithm, layer, random_voxels(kWholeTiles, kShapes[0].seed), options.seed);
    if (!fault.empty()) return fail(fault);
  }
  if (earlier) verdict.modes += ",shapes";
}

}  // namespace spb::run
