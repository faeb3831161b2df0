// SPDX-License-Identifier: Apache-2.0
// The size of a kernel's blocks, where a compiler must know it.
#pragma once

/// HIP's compilers assume blocks of 1,024 threads, whose lanes have 128 registers on gfx9, and
/// spill the rest (.ci/device-code names the kernels). Elsewhere nothing: nvcc's choice of
/// registers is the one that was timed.
#ifdef SPB_GPU_HIP
#define GPU_BLOCK_OF(threads) __launch_bounds__(threads)
#else
#define GPU_BLOCK_OF(threads)
#endif
