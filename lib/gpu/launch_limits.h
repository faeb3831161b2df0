// SPDX-License-Identifier: Apache-2.0
// What a launch may ask for. Vendors' runtimes answer "invalid value" to all of it, and one of
// HIP's launches a part of a grid without a word.
#pragma once

#include <cstddef>
#include <cstdint>

namespace spb::gpu {

/// Of one axis of a grid. Throws Error (runtime) when `blocks` of `threads` are more threads than
/// `most_threads`.
void require_grid(uint64_t blocks, uint64_t threads, uint64_t most_threads);

/// Throws Error (runtime) when a kernel's `own` bytes of shared memory and the `asked` ones of its
/// launch are more than the `most` that a block has on the device.
void require_shared_memory(size_t own, size_t asked, size_t most);

}  // namespace spb::gpu
