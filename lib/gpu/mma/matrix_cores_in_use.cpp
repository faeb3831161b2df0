// SPDX-License-Identifier: Apache-2.0
#include "gpu/mma/matrix_cores_in_use.h"

#include "gpu/device_info.h"

namespace spb::gpu {

bool device_has(MatrixCores cores) {
  const DeviceInfo& device = device_in_use();
  return on_host() ? device.warp_size == lanes_of(cores) : has_matrix_cores(device.arch, cores);
}

unsigned matrix_cores_in_use() {
  unsigned bits = 0;
  for (const auto cores : {MatrixCores::cdna, MatrixCores::gfx11, MatrixCores::gfx12})
    if (device_has(cores)) bits |= matrix_cores_bit(cores);
  return bits;
}

}  // namespace spb::gpu
