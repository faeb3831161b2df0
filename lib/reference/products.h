// SPDX-License-Identifier: Apache-2.0
// The three products of a convolution on the CPU; compute() and compute_exact() choose among them.
#pragma once

#include <cstdint>
#include <span>

#include "reference/reference.h"

namespace spb::reference {

/// out (fprop) or gin (dgrad) for the listed rows, or for all.
template <bool kScales>
Expected row_products(const Problem& problem, const MapSet& map, int64_t n_in, const Inputs& inputs,
                      std::span<const int64_t> rows, std::span<const Triple> pairs);

/// gw, [c_out * kernel_volume, c_in].
template <bool kScales>
Expected weight_products(const Problem& problem, const MapSet& map, const Inputs& inputs);

/// The same with several groups of channels, whose sums are short: element by element.
template <bool kScales>
Expected grouped_row_products(const Problem& problem, const MapSet& map, int64_t n_in,
                              const Inputs& inputs, std::span<const int64_t> rows,
                              std::span<const Triple> pairs);
template <bool kScales>
Expected grouped_weight_products(const Problem& problem, const MapSet& map, const Inputs& inputs);

/// Products of the tiles that a sum over `count` rows is cut into (verification.md, section 4).
constexpr int64_t tile_length(int64_t count) { return count < 64 * 256 ? 64 : count / 256; }

/// gbias, [1, c_out]: gout summed over its n_out rows.
template <bool kScales>
Expected bias_gradient(const Problem& problem, int64_t n_out, std::span<const float> gout);

}  // namespace spb::reference
