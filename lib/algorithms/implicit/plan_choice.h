// SPDX-License-Identifier: Apache-2.0
// What may be chosen of the implicit algorithms.
#pragma once

#include <optional>
#include <span>

#include "algorithms/implicit/implicit_plan.h"
#include "core/choice.h"
#include "kernels/kernel_variants.h"
#include "maps/parts.h"

namespace spb::plans {

/// Knobs of the algorithm with these options; a masked one has those of its plain kin, too.
std::span<const Knob> implicit_knobs(const ImplicitOptions& options);
/// Of an algorithm that takes a kernel by name, and perhaps a reduction.
std::span<const Knob> pair_knobs(bool reduces);

/// A Choice, read. Each member is chosen, or left to the plan when empty.
struct PlanChoice {
  const KernelVariant* variant = nullptr;
  std::optional<int> split = {};     ///< slices of each tile's steps
  std::optional<int> segments = {};  ///< of the offsets; 1: slices instead
  std::optional<maps::RowOrder> order = {};
  /// Segments are added to memory in the order in which they end, so that repeats differ.
  bool atomic = false;
};

/// Of a choice that implicit_knobs() do not refuse.
PlanChoice read(const Choice& choice);
Choice to_choice(const PlanChoice& choice);

}  // namespace spb::plans
