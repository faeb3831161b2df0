// SPDX-License-Identifier: Apache-2.0
// Per kernel offset: gather, dense product, scatter-add.
#pragma once

#include "algorithms/algorithm.h"

namespace spb::plans {

/// It takes products by name, and no tile kernel.
std::optional<std::string> unsupported_gather_scatter(const Problem& problem, const Choice& made);
maps::MapNeeds needs_of_gather_scatter(const Case& of);
std::unique_ptr<Plan> plan_gather_scatter(const Case& of, const maps::Maps& maps,
                                          maps::BuildContext context);

}  // namespace spb::plans
