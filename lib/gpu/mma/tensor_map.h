// Descriptors with which the copy engine of sm_90 reads tensors. CUDA only.
#pragma once

#include <cstdint>
#include <cuda.h>

namespace spb::gpu {

/// A box of `box[0]` x `box[1]` x `box[2]` elements of a dense 16-bit tensor [size[2], size[1],
/// size[0]], written to shared memory with a 128-byte swizzle; box[0] is 64. `data` is 16-byte
/// aligned and size[0] a multiple of 8. Throws Error (runtime) when the driver refuses.
CUtensorMap tensor_map_16bit(const void* data, bool bf16, const int64_t (&size)[3],
                             const int (&box)[3]);

}  // namespace spb::gpu
