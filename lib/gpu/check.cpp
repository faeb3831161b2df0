// SPDX-License-Identifier: Apache-2.0
#include "gpu/check.h"

#include <string>

#include "core/error.h"

namespace spb::gpu {

void check(gpuError_t error, std::string_view what) {
  if (error == gpuSuccess) return;
  throw Error(ExitCode::runtime, std::string(what) + ": " + gpuGetErrorString(error) + " (" +
                                     gpuGetErrorName(error) + ")");
}

}  // namespace spb::gpu
