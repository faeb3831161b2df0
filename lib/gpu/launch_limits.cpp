// SPDX-License-Identifier: Apache-2.0
#include "gpu/launch_limits.h"

#include <string>

#include "core/error.h"

namespace spb::gpu {

void require_grid(uint64_t blocks, uint64_t threads, uint64_t most_threads) {
  // Divided, as the product may not fit.
  if (threads == 0 || blocks <= most_threads / threads) return;
  throw Error(ExitCode::runtime, "launch: an axis of a grid holds " + std::to_string(most_threads) +
                                     " threads, not " + std::to_string(blocks) + " blocks of " +
                                     std::to_string(threads) + "; split the work");
}

void require_shared_memory(size_t own, size_t asked, size_t most) {
  if (own <= most && asked <= most - own) return;
  throw Error(ExitCode::runtime, "launch: a block has " + std::to_string(most) +
                                     " bytes of shared memory on this device, not " +
                                     std::to_string(own + asked) + " (" + std::to_string(own) +
                                     " of the kernel, " + std::to_string(asked) +
                                     " of the launch)");
}

}  // namespace spb::gpu
