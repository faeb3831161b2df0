// SPDX-License-Identifier: Apache-2.0
// Scales of the dtypes that have them (has_scales(); verification.md, sections 14 and 15).
#pragma once

#include "core/host_tensors.h"
#include "core/problem.h"
#include "verify/verify.h"

namespace spb::verify {

/// Of integers: with which outputs of the fill lie between ties and both ends of i8, however many
/// products they sum: from channel to channel they are powers of two apart, and no two neighbors
/// have the same, nor, but under tied, channels a tile apart. Fill small: 1, so that outputs are
/// the sums.
/// Of floats: so that outputs of the fill lie within the range of e4m3, and apart like those. Under
/// the single fills outputs are of every size.
void put_scales(HostOperands& operands, const Problem& problem, Fill fill);

}  // namespace spb::verify
