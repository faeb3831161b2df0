// SPDX-License-Identifier: Apache-2.0
// Kernels that can be asked for by name and are none of ours: a library's dense products.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "kernels/kernel_variants.h"

namespace spb {

/// Of the products of all offsets in one call. Shapes, stages and threads are the library's own,
/// and 0 here.
std::span<const KernelVariant> product_variants();
bool is_product(const KernelVariant& variant);

/// Names of all kernels, these and those of tiles, once each: some serve all directions.
const std::vector<std::string>& kernel_names();

}  // namespace spb
