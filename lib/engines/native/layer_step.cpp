// SPDX-License-Identifier: Apache-2.0
#include "engines/native/layer_step.h"

#include <algorithm>
#include <optional>
#include <string_view>
#include <utility>

#include "gpu/stream.h"

namespace spb::engines {
namespace {

/// What was chosen for other directions alone is no choice of this one.
Algorithm with_choices_of(const Algorithm& algorithm, Direction direction) {
  Algorithm row = algorithm;
  row.choice = of_direction(row.knobs, row.choice, direction);
  return row;
}

/// Of which plans work out on the device what their kernels read. Of halos and tables they do not,
/// and a fork would only stand between kernels.
bool have_lists(const maps::MapNeeds& needs) {
  return needs.pairs || needs.groups > 1 ||
         std::ranges::any_of(needs.lists, [](const auto& lists) { return !lists.halos; });
}

}  // namespace

std::array<Problem, 3> layer_problems(const Problem& problem) {
  Problem fprop = problem, dgrad = problem, wgrad = problem;
  fprop.direction = Direction::fprop;
  dgrad.direction = Direction::dgrad;
  wgrad.direction = Direction::wgrad;
  return {fprop, dgrad, wgrad};
}

Problem partner_of(const Problem& inverse) {
  Problem partner = inverse;
  partner.geometry.kind = ConvKind::strided;
  std::swap(partner.c_in, partner.c_out);
  return partner;
}

StepAlgorithms step_algorithms(const Algorithm& algorithm, const Problem& problem,
                               const maps::RowCoords& voxels) {
  const Algorithm own = with_choices_of(algorithm, Direction::wgrad);
  const char* other =
      own.step_wgrad ? own.step_wgrad(layer_problems(problem).back(), voxels, own.choice) : nullptr;
  const Algorithm wgrad =
      other ? *std::ranges::find(algorithms(), std::string_view(other), &Algorithm::name) : own;
  return {with_choices_of(algorithm, Direction::fprop),
          with_choices_of(algorithm, Direction::dgrad), wgrad};
}

maps::MapNeeds layer_needs(const Algorithm& algorithm, const Problem& problem,
                           const maps::RowCoords& voxels, maps::MapStore& store,
                           const gpu::Stream& stream) {
  maps::MapNeeds needs;
  Problem layer = problem;
  layer.epilogue = {};  // of fprop alone; the maps are those of all directions
  const StepAlgorithms algorithms = step_algorithms(algorithm, layer, voxels);
  const std::array<Problem, 3> problems = layer_problems(layer);
  for (size_t i = 0; i < problems.size(); ++i)
    if (!algorithms[i].unsupported(problems[i]))
      needs.add(algorithms[i].needs(problems[i], store, stream));
  return needs;
}

std::optional<std::string> unsupported_step(const StepAlgorithms& algorithms,
                                            const Problem& problem) {
  const std::array<Problem, 3> problems = layer_problems(problem);
  for (size_t i = 0; i < problems.size(); ++i)
    if (const auto reason = algorithms[i].unsupported(problems[i]))
      return std::string(name(problems[i].direction)) + ": " + *reason;
  return std::nullopt;
}

LayerStep::LayerStep(const StepAlgorithms& algorithms, const Problem& problem,
                     const maps::DeviceCoords& coords, const std::array<Operands, 3>& operands,
                     gpu::Allocator& allocator, const gpu::Stream& stream)
    : algorithms_(algorithms),
      problems_(layer_problems(problem)),
      coords_(coords),
      operands_(operands),
      allocator_(allocator),
      stream_(stream) {}

void LayerStep::run(int layers) {
  plans_.clear();  // an error may have left some
  store_ = std::make_unique<maps::MapStore>(maps::Relation{coords_, problems_.front().geometry},
                                            allocator_, algorithms_.front().hash);
  maps::MapNeeds needs;
  for (size_t i = 0; i < problems_.size(); ++i)
    needs.add(algorithms_[i].needs(problems_[i], *store_, stream_));
  store_->get_ahead(needs, stream_);
  const auto plan = [&](size_t i, const gpu::Stream& stream) {
    plans_.push_back(algorithms_[i].plan(problems_[i], *store_, allocator_, stream));
  };
  plan(0, stream_);
  std::optional<gpu::Fork> beside;
  if (have_lists(needs)) beside.emplace(stream_);
  for (int layer = 0; layer < layers; ++layer)
    for (size_t i = 0; i < problems_.size(); ++i) {
      // Made while the direction before runs: host and device have the time. What fprop's plan let
      // go of is free for others, as the fork is behind it; runs let go of nothing.
      if (layer == 0 && i > 0) {
        const bool apart = beside && algorithms_[i].plans_apart;
        plan(i, apart ? beside->stream() : stream_);
        if (apart) beside->join();
      }
      plans_[i]->run(operands_[i], stream_);
      // What fprop read may be incomplete, or of voxels that are none: told while it runs.
      if (layer == 0 && i == 0 && store_->settle()) plans_[i]->run(operands_[i], stream_);
    }
}

void LayerStep::release() {
  plans_.clear();
  store_.reset();
}

}  // namespace spb::engines
