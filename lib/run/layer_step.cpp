#include "run/layer_step.h"

namespace spb::run {

std::array<Problem, 3> layer_problems(const Problem& problem) {
  Problem fprop = problem, dgrad = problem, wgrad = problem;
  fprop.direction = Direction::fprop;
  dgrad.direction = Direction::dgrad;
  wgrad.direction = Direction::wgrad;
  return {fprop, dgrad, wgrad};
}

maps::MapNeeds layer_needs(const Algorithm& algorithm, const Problem& problem,
                           maps::MapStore& store, const gpu::Stream& stream) {
  maps::MapNeeds needs;
  for (const Problem& of_direction : layer_problems(problem))
    if (!algorithm.unsupported(of_direction))
      needs.add(algorithm.needs(of_direction, store, stream));
  return needs;
}

std::optional<std::string> unsupported_step(const Algorithm& algorithm, const Problem& problem) {
  for (const Problem& of_direction : layer_problems(problem))
    if (const auto reason = algorithm.unsupported(of_direction))
      return std::string(name(of_direction.direction)) + ": " + *reason;
  return std::nullopt;
}

LayerStep::LayerStep(const Algorithm& algorithm, const Problem& problem,
                     const maps::DeviceCoords& coords, const std::array<Operands, 3>& operands,
                     gpu::Allocator& allocator, const gpu::Stream& stream)
    : algorithm_(algorithm),
      problems_(layer_problems(problem)),
      coords_(coords),
      operands_(operands),
      allocator_(allocator),
      stream_(stream) {}

void LayerStep::run(int layers) {
  store_ = std::make_unique<maps::MapStore>(maps::Relation{coords_, problems_.front().geometry},
                                            allocator_);
  store_->get(layer_needs(algorithm_, problems_.front(), *store_, stream_), stream_);
  for (int layer = 0; layer < layers; ++layer)
    for (size_t i = 0; i < problems_.size(); ++i) {
      // A plan is made when it is first run: the device is busy with what came before.
      if (layer == 0) plans_.push_back(algorithm_.plan(problems_[i], *store_, allocator_, stream_));
      plans_[i]->run(operands_[i], stream_);
    }
}

void LayerStep::release() {
  plans_.clear();
  store_.reset();
}

}  // namespace spb::run
