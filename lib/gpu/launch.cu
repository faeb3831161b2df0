#include <limits>
#include <string>

#include "core/error.h"
#include "gpu/launch.cuh"

namespace spb::gpu {

unsigned flat_grid(int64_t items) {
  const int64_t blocks = (items + kFlatBlock - 1) / kFlatBlock;
  if (blocks > std::numeric_limits<int32_t>::max())
    throw Error(ExitCode::runtime, "launch: a grid holds fewer than " + std::to_string(items) +
                                       " threads; split the work");
  return static_cast<unsigned>(blocks);
}

}  // namespace spb::gpu
