// SPDX-License-Identifier: Apache-2.0
// Addresses that a library reads from device memory, of what only a run knows where it is.
#pragma once

#include <cstdint>

#include "gpu/stream.h"

namespace spb::plans {

/// addresses[i] = from + places[i] bytes.
void list_addresses(const void* from, const int64_t* places, int64_t count, void** addresses,
                    const gpu::Stream& stream);

}  // namespace spb::plans
