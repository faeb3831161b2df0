// SPDX-License-Identifier: Apache-2.0
// The last step of every algorithm that sums outside of its output: slices, epilogue, one rounding.
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "gpu/stream.h"
#include "kernels/common/epilogue.h"

namespace spb::plans {

/// out[i] = round(act(slices[0][i] + slices[1][i] + ... + bias[i % columns] + residual[i])), added
/// in that order in fp32. slices is [split, count] fp32. With split = 1 and a dtype stored as fp32,
/// `out` may be `partials` itself. Of integer dtypes slices are int32 and their sum is scaled, as
/// core/epilogue.h has it, or stored itself. `lets_begin`: the next kernel, before the sums are
/// there: not where its blocks, two to a multiprocessor, would crowd on those that have room first.
void reduce_partials(Dtype dtype, const float* partials, int split, int64_t count, int columns,
                     const OutputEpilogue& epilogue, void* out, const gpu::Stream& stream,
                     bool lets_begin = true);

/// The same of one slice, and leaves zeros in `sums`.
void round_sums(Dtype dtype, float* sums, int64_t count, int columns,
                const OutputEpilogue& epilogue, void* out, const gpu::Stream& stream);

}  // namespace spb::plans
