// SPDX-License-Identifier: Apache-2.0
// Descriptors with which TMA, sm_90's engine for tensor copies, reads them. CUDA only.
#pragma once

#include <cstdint>
#include <cuda.h>

#include "core/storage.h"

namespace spb::gpu {

/// A box of `box[0]` x `box[1]` x `box[2]` elements of a dense tensor [size[2], size[1], size[0]],
/// written to shared memory with a swizzle of box[0] elements, which are 128 or 64 bytes. fp32 is
/// not rounded. `data` is 16-byte aligned and size[0] elements a multiple of 16 bytes.
/// Throws Error (runtime) when the driver refuses.
CUtensorMap tensor_map(const void* data, Storage storage, const int64_t (&size)[3],
                       const int (&box)[3]);

}  // namespace spb::gpu
