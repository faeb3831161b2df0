// SPDX-License-Identifier: Apache-2.0
// What the plans of the implicit algorithms share about tiles.
#pragma once

#include <cstdint>
#include <optional>
#include <string>

#include "kernels/kernel_variants.h"
#include "maps/parts.h"

namespace spb::plans {

/// Tiles that cover `items`.
constexpr int64_t tiles_of(int64_t items, int64_t tile) { return (items + tile - 1) / tile; }

template <class Mma>
constexpr bool has_shape(const KernelVariant& variant) {
  return Mma::kTileM == variant.tile_m && Mma::kTileN == variant.tile_n &&
         Mma::kTileK == variant.tile_k && Mma::kThreads == variant.threads;
}

/// Of the current device; a constant on host, so that the summation order does not depend on the
/// machine.
int multiprocessors();

/// Compute capability times ten (90 on an H200), 0 with another vendor: what
/// KernelVariant::min_arch is compared with.
int architecture();

/// Whether a device of this architecture() can run a variant on rows of so many channels. Of all
/// variants for every plan, so that it makes no text.
bool supports(const KernelVariant& variant, Dtype dtype, int architecture, int c_in, int c_out);

/// Nothing, or why a device of this architecture() cannot run a variant on rows of so many
/// channels: "needs channels in multiples of 8".
std::optional<std::string> unsupported(const KernelVariant& variant, Dtype dtype, int architecture,
                                       int c_in, int c_out);

/// Nothing, or why this device takes no operands of the dtype: e4m3 has no instructions on older
/// ones of NVIDIA, and gfx942's is another encoding. The host stands in for those that do.
std::optional<std::string> unsupported_here(Dtype dtype);

/// PlanDescription::params_json.
std::string tile_params(const KernelVariant& variant, int split, maps::RowOrder order);

}  // namespace spb::plans
