// SPDX-License-Identifier: Apache-2.0
#include "kernels/matrix_cores/tile.h"

#include "gpu/device_info.h"

namespace spb::plans {

bool device_has(gpu::MatrixCores cores) {
  const gpu::DeviceInfo& device = gpu::device_in_use();
  return gpu::on_host() ? device.warp_size == gpu::lanes_of(cores)
                        : gpu::has_matrix_cores(device.arch, cores);
}

unsigned matrix_cores_in_use() {
  unsigned bits = 0;
  for (const auto cores :
       {gpu::MatrixCores::cdna, gpu::MatrixCores::gfx11, gpu::MatrixCores::gfx12})
    if (device_has(cores)) bits |= matrix_cores_bit(cores);
  return bits;
}

}  // namespace spb::plans
