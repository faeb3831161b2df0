// SPDX-License-Identifier: Apache-2.0
// Why a set of coords has no map: the errors of the builders.
#pragma once

#include <span>

#include "core/coords.h"
#include "core/error.h"

namespace spb::maps {

/// `row` is the first one outside the box.
Error out_of_range_error(int64_t row, const Coord& coord, const Box& box);

/// `repeats` of the `rows` repeat an earlier one; the first of them is `row`.
Error repeated_coords_error(int64_t repeats, int64_t row, std::span<const Coord> rows);

Error table_full_error(int64_t capacity);

/// Throws Error (runtime) when `rows` exceed what int32 row indices hold; `what` names them.
void check_row_count(const char* what, int64_t rows);

}  // namespace spb::maps
