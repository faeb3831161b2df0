// SPDX-License-Identifier: Apache-2.0
// Kernels whose times say how fast memory is.
#pragma once

#include <cstdint>

#include "gpu/stream.h"

namespace spb::bench {

/// All queue one kernel; buffers are 16-byte aligned, byte counts multiples of 16.
void queue_copy(const void* from, void* to, int64_t bytes, const gpu::Stream& stream);
void queue_read(const void* from, int64_t bytes, float* sink, const gpu::Stream& stream);
/// Every multiprocessor reads all of a buffer, each from another start.
void queue_shared_read(const void* from, int64_t bytes, int readers, float* sink,
                       const gpu::Stream& stream);
/// Reads `count` random rows of `row_bytes` (16 times a power of two) of a table of `bytes`.
void queue_gather(const void* table, int64_t bytes, int row_bytes, int64_t count, float* sink,
                  const gpu::Stream& stream);

}  // namespace spb::bench
