// The plan of the four implicit algorithms: one main loop, two independent choices.
#pragma once

#include <memory>

#include "algorithms/algorithm.h"
#include "maps/maps.h"

namespace spb::plans {

struct ImplicitOptions {
  bool masked = false;     ///< skip the offsets that no row of a tile has; wgrad over pair lists
  bool split_k = false;    ///< cut every tile's steps into slices, whose sums are added up later
  PlanChoice choice = {};  ///< made for the plan
};

std::unique_ptr<Plan> plan_implicit(const ImplicitOptions& options, const Problem& problem,
                                    const maps::DeviceCoords& coords, gpu::Allocator& allocator,
                                    const gpu::Stream& stream);

/// fprop and dgrad.
std::unique_ptr<Plan> plan_rows(const ImplicitOptions& options, const Problem& problem,
                                const maps::DeviceCoords& coords, maps::BuildContext context);
std::unique_ptr<Plan> plan_wgrad(const ImplicitOptions& options, const Problem& problem,
                                 const maps::DeviceCoords& coords, maps::BuildContext context);

}  // namespace spb::plans
