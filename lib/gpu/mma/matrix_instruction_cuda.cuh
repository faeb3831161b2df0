// SPDX-License-Identifier: Apache-2.0
// The instruction of NVIDIA's tensor cores that Turing has for bytes. CUDA only; code for older
// ones ends there.
#pragma once

#include <cstdint>

#include "gpu/runtime.h"

namespace spb::gpu::vendor {

/// sums += a * b by mma.m8n8k16. Its first operand is b: then a lane's two sums lie below each
/// other, in the column of its elements of b, as LaneTable has them.
template <class Operand>
__device__ __forceinline__ void multiply_bytes(int32_t (&sums)[2], const Operand& a,
                                               const Operand& b) {
  static_assert(sizeof(Operand) == sizeof(uint32_t));
#if !defined(__CUDA_ARCH__) || __CUDA_ARCH__ >= 750
  asm volatile("mma.sync.aligned.m8n8k16.row.col.s32.s8.s8.s32 {%0,%1}, {%2}, {%3}, {%0,%1};"
               : "+r"(sums[0]), "+r"(sums[1])
               : "r"(bit_cast<uint32_t>(b)), "r"(bit_cast<uint32_t>(a)));
#else
  __trap();
#endif
}

}  // namespace spb::gpu::vendor
