// SPDX-License-Identifier: Apache-2.0
// Some elements of a large array, for who looks at a sample.
#pragma once

#include <cstdint>
#include <span>

#include "gpu/stream.h"

namespace spb::gpu {

/// to[i] = from[places[i]], of elements of 1, 2 or 4 bytes, from the device to the host. Takes no
/// device memory; waits.
void pick(const void* from, int64_t element_bytes, std::span<const int64_t> places, void* to,
          const Stream& stream);

}  // namespace spb::gpu
