// SPDX-License-Identifier: Apache-2.0
// Floats on the host to stored elements on the device and back, in blocks through page-locked
// memory: one block is converted, or copied to its place, by all processors while the one before it
// travels.
#pragma once

#include <cstddef>
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
/// As the device has them: faster than copy_to_host() where `to` is new memory, whose pages are
/// then made by all processors.
void download(const void* device, std::span<std::byte> to, const Stream& stream);

}  // namespace spb::gpu
