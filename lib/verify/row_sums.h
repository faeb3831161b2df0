// SPDX-License-Identifier: Apache-2.0
// The reference's side of Freivalds' check: sums of every output row's products with random
// vectors, each reassociated so that it costs about 1 / channels of the product.
#pragma once

#include <cstdint>
#include <vector>

#include "core/expected.h"
#include "core/problem.h"
#include "verify/verify.h"

namespace spb::verify {

/// Vectors over the columns of the output, [lanes][cols].
template <typename T>
using Lanes = std::vector<std::vector<T>>;

/// [rows, lanes] of the products with `vectors`, bias and residual included, of doubles also the
/// scales (those of integers are 1 where this is asked); rows are those of out, gin or
/// [c_out, kernel_volume]. T is uint64_t (integers, modulo 2^64) or double. In lane `squared_lane`
/// every operand is squared.
template <typename T>
std::vector<T> row_sums(const Problem& problem, const MapSet& map, int64_t n_in,
                        const HostOperands& operands, const Lanes<T>& vectors, size_t squared_lane);

/// Number of products of each row's elements.
std::vector<double> terms_per_row(const Problem& problem, const MapSet& map, int64_t n_in);

/// Rows of the output matrix.
int64_t output_rows(const Problem& problem, const MapSet& map, int64_t n_in);
/// Columns of the output matrix: c_out for fprop, c_in for dgrad, c_in / groups for wgrad.
int64_t output_cols(const Problem& problem);

}  // namespace spb::verify
