// SPDX-License-Identifier: Apache-2.0
// A plan of a shared library as one of ours: what crosses the interface of spconv_bench/plugin.h.
#pragma once

#include <memory>
#include <spconv_bench/plugin.h>
#include <string>

#include "algorithms/algorithm.h"

namespace spb::engines {

/// Its text is constant.
SpbProblem plugin_problem(const Problem& problem);

/// The maps that an algorithm of a plug-in asks for.
maps::MapNeeds plugin_needs(const SpbAlgorithm& row, const Problem& problem);

/// `name` is for errors. Throws Error (runtime) with what the library says, gpu::OutOfMemory where
/// it was refused memory.
std::unique_ptr<Plan> plugin_plan(const SpbAlgorithm& row, const std::string& name, const Case& of,
                                  const maps::Maps& maps, maps::BuildContext context);

}  // namespace spb::engines
