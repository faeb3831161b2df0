// SPDX-License-Identifier: Apache-2.0
// Guards around buffers, looked at where they lie: they take megabytes, and are looked at after
// every run that is judged.
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "gpu/stream.h"

namespace spb::gpu {

/// Which of the guards, of `bytes` bytes each, a multiple of Guards::kPage, are not full of `word`.
/// Takes no device memory; waits.
std::vector<size_t> find_damaged(std::span<const void* const> guards, int64_t bytes, uint16_t word,
                                 const Stream& stream);

}  // namespace spb::gpu
