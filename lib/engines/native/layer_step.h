// SPDX-License-Identifier: Apache-2.0
// A training step of one layer as a user of an engine meets it: maps, plans, and a run of fprop,
// dgrad and wgrad.
#pragma once

#include <array>
#include <memory>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "engines/native/device_operands.h"
#include "maps/map_store.h"

namespace spb::engines {

/// The three directions of a problem, those first that the others come from.
std::array<Problem, 3> layer_problems(const Problem& problem);

/// The strided layer that an inverse one is the inverse of; it leads the other way.
Problem partner_of(const Problem& inverse);

/// Who runs each of layer_problems(): the algorithm with what was chosen for the direction, wgrad
/// by that of Algorithm::step_wgrad.
using StepAlgorithms = std::array<Algorithm, 3>;
StepAlgorithms step_algorithms(const Algorithm& algorithm, const Problem& problem,
                               const maps::RowCoords& voxels);

/// The maps of a step, of the directions that its algorithms support: what map_build times.
maps::MapNeeds layer_needs(const Algorithm& algorithm, const Problem& problem,
                           const maps::RowCoords& voxels, maps::MapStore& store,
                           const gpu::Stream& stream);

/// Nothing, or why a direction of the layer cannot run.
std::optional<std::string> unsupported_step(const StepAlgorithms& algorithms,
                                            const Problem& problem);

/// Steps of a layer whose operands lie on the device. Maps and plans are made anew by each step.
class LayerStep {
 public:
  /// `operands`: of layer_problems(problem), in that order.
  LayerStep(const StepAlgorithms& algorithms, const Problem& problem,
            const maps::DeviceCoords& coords, const std::array<Operands, 3>& operands,
            gpu::Allocator& allocator, const gpu::Stream& stream);

  /// Maps and plans once, then `layers` times the three directions: layers of the same channels
  /// share both.
  void run(int layers);
  /// Lets go of what run() made, which a caller would keep.
  void release();
  /// Chains of maps that the last run() took.
  int map_builds() const { return store_ ? store_->builds() : 0; }

 private:
  StepAlgorithms algorithms_;
  std::array<Problem, 3> problems_;
  const maps::DeviceCoords& coords_;
  std::array<Operands, 3> operands_;
  gpu::Allocator& allocator_;
  const gpu::Stream& stream_;
  std::unique_ptr<maps::MapStore> store_;
  std::vector<std::unique_ptr<Plan>> plans_;
};

}  // namespace spb::engines
