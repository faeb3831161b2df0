// SPDX-License-Identifier: Apache-2.0
// A hash of device memory, computed where it lies.
#pragma once

#include <cstdint>

#include "gpu/stream.h"

namespace spb::gpu {

/// Depends on every byte and its place; the same on every device. `data` is aligned to 8 bytes.
/// Waits for the stream.
uint64_t content_hash(const void* data, int64_t bytes, const Stream& stream);

}  // namespace spb::gpu
