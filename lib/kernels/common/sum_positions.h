// SPDX-License-Identifier: Apache-2.0
// Products of pairs that lie one by one in memory, added up row by row.
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "gpu/stream.h"
#include "kernels/common/epilogue.h"

namespace spb::plans {

/// out[r, :] = round(act(sum over o of products[table[r, o], :] + bias + residual[r, :])), offsets
/// in their order, in fp32; table is [rows, kernel_volume], -1 = nothing to add.
/// Products are fp32, or with `rounded` stored as outputs of the dtype are.
void sum_positions(Dtype dtype, const void* products, bool rounded, const int32_t* table,
                   int64_t rows, int kernel_volume, int columns, const OutputEpilogue& epilogue,
                   void* out, const gpu::Stream& stream);

}  // namespace spb::plans
