// SPDX-License-Identifier: Apache-2.0
#include "gpu/cuda_driver.h"

#include "core/error.h"

namespace spb::gpu {

std::string cuda_version_text(int version) {
  if (version == 0) return "none";
  return std::to_string(version / 1000) + "." + std::to_string(version % 1000 / 10);
}

void check_cuda_driver(int driver, int runtime) {
  if (driver == 0)
    throw Error(ExitCode::runtime,
                "CUDA: no driver is installed; install the NVIDIA driver or use the host build");
  // Drivers run programs of their own major version, those of newer minors included.
  if (driver / 1000 < runtime / 1000)
    throw Error(ExitCode::runtime, "CUDA: the driver supports CUDA " + cuda_version_text(driver) +
                                       ", this program needs " + cuda_version_text(runtime) +
                                       "; update the NVIDIA driver");
}

}  // namespace spb::gpu
