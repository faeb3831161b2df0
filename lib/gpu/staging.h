// SPDX-License-Identifier: Apache-2.0
// Floats on the host to stored elements on the device and back, in blocks through page-locked
// memory: one block is converted by all processors while the one before it travels.
#pragma once

#include <cstdint>
#include <span>

#include "core/storage.h"
#include "gpu/stream.h"

namespace spb::gpu {

/// Waits until the data have arrived.
void upload_encoded(std::span<const float> values, Storage storage, void* device,
                    const Stream& stream);
void download_decoded(const void* device, Storage storage, std::span<float> values,
                      const Stream& stream);

}  // namespace spb::gpu
