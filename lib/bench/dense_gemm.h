// The dense matrix product that other figures are compared with.
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "gpu/allocator.h"
#include "gpu/stream.h"

namespace spb::bench {

/// Median time of one product [m, k] by [k, n] of random data by gpu::gemm(), outputs fp32, by
/// events around it; of a part of the rows, scaled, where all would take more than 1 GiB. Some
/// 20 runs, fewer when they are long.
double dense_gemm_us(Dtype dtype, int64_t m, int64_t n, int64_t k, gpu::Allocator& allocator,
                     const gpu::Stream& stream);

}  // namespace spb::bench
