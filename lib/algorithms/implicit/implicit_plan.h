// SPDX-License-Identifier: Apache-2.0
// The plans of the implicit algorithms: one main loop, two independent choices, and how slices are
// cut.
#pragma once

#include <memory>

#include "algorithms/algorithm.h"
#include "maps/maps.h"

namespace spb::plans {

struct ImplicitOptions {
  bool masked = false;   ///< skip the offsets that no row of a tile has; wgrad over pair lists
  bool split_k = false;  ///< cut every tile's steps into slices, whose sums are added up later
  /// Slices of a masked pass are segments of the offsets, as many as asked for, and nothing else.
  bool segmented = false;
  bool pairs = false;  ///< wgrad goes over pair lists, whatever else a kernel could read
};
/// Segments of a segmented pass that is not told how many.
inline constexpr int kUsualSegments = 2;

/// fprop and dgrad.
maps::MapNeeds needs_of_rows(const ImplicitOptions& options, const Case& of);
std::unique_ptr<Plan> plan_gather_gemm(const ImplicitOptions& options, const Case& of,
                                       const maps::Maps& maps, maps::BuildContext context);
maps::MapNeeds needs_of_wgrad(const ImplicitOptions& options, const Case& of);
std::unique_ptr<Plan> plan_wgrad(const ImplicitOptions& options, const Case& of,
                                 const maps::Maps& maps, maps::BuildContext context);
/// The same by kWgradTiles[tile], which reads halos.
maps::MapNeeds needs_of_halo_wgrad(const Case& of);
std::unique_ptr<Plan> plan_halo_wgrad(int tile, const Case& of, const maps::Maps& maps,
                                      maps::BuildContext context);

template <bool Masked, bool SplitK, bool Segmented>
maps::MapNeeds needs_of_implicit(const Case& of) {
  const auto needs = of.problem.direction == Direction::wgrad ? needs_of_wgrad : needs_of_rows;
  return needs({.masked = Masked, .split_k = SplitK, .segmented = Segmented}, of);
}
template <bool Masked, bool SplitK, bool Segmented>
std::unique_ptr<Plan> plan_implicit(const Case& of, const maps::Maps& maps,
                                    maps::BuildContext context) {
  const auto plan = of.problem.direction == Direction::wgrad ? plan_wgrad : plan_gather_gemm;
  return plan({.masked = Masked, .split_k = SplitK, .segmented = Segmented}, of, maps, context);
}

}  // namespace spb::plans
