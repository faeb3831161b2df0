// The dense matrix product that other figures are compared with.
#pragma once

#include <cstdint>

#include "core/dtype.h"
#include "gpu/allocator.h"
#include "gpu/stream.h"

namespace spb::bench {

/// Hot time of one product [m, k] by [k, n] of random data by gpu::gemm(), outputs fp32; of a part
/// of the rows, scaled, where all would take more than 1 GiB.
double dense_gemm_us(Dtype dtype, int64_t m, int64_t n, int64_t k, gpu::Allocator& allocator,
                     const gpu::Stream& stream);

}  // namespace spb::bench
