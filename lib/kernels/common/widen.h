// SPDX-License-Identifier: Apache-2.0
// 8-bit floats as bf16, which holds all of them: for products along rows, which tensor cores do not
// take in 8 bits.
#pragma once

#include <cstddef>
#include <cstdint>

#include "gpu/stream.h"

namespace spb::plans {

/// Two bytes of each of `count` e4m3 values, a multiple of four. Both sides lie on 8 bytes.
void widen_e4m3(const void* from, int64_t count, std::byte* to, const gpu::Stream& stream);

}  // namespace spb::plans
