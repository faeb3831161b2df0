// SPDX-License-Identifier: Apache-2.0
// The dense matrix product that other figures are compared with.
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "gpu/allocator.h"
#include "gpu/stream.h"

namespace spb::bench {

/// How many of the m rows of a product [m, k] by [k, n] are measured: what 1 GiB holds of inputs
/// and fp32 outputs, or 128 where that is fewer. n and k are positive.
int64_t dense_gemm_rows(Dtype dtype, int64_t m, int64_t n, int64_t k);

/// Hot time of one product [m, k] by [k, n] of random data by gpu::gemm(), outputs fp32, scaled
/// from dense_gemm_rows() to all rows. 0 of an empty product.
double dense_gemm_us(Dtype dtype, int64_t m, int64_t n, int64_t k, gpu::Allocator& allocator,
                     const gpu::Stream& stream);

}  // namespace spb::bench
