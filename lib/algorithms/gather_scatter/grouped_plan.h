// SPDX-License-Identifier: Apache-2.0
// gather_scatter of all kernel offsets at once, by one call of a library.
#pragma once

#include "algorithms/algorithm.h"
#include "kernels/kernel_variants.h"

namespace spb::plans {

/// Nothing, or why the problem has no such plan.
std::optional<std::string> unsupported_grouped_products(const Problem& problem,
                                                        const KernelVariant& variant);
std::unique_ptr<Plan> plan_grouped_products(const Case& of, const KernelVariant& variant,
                                            const maps::Maps& maps, maps::BuildContext context);

}  // namespace spb::plans
