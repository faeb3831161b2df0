// SPDX-License-Identifier: Apache-2.0
#include "gpu/mma/matrix_cores_in_use.h"

namespace spb::gpu {

unsigned matrix_cores_in_use() {
  unsigned bits = 0;
  for (const MatrixCores cores : kAllMatrixCores)
    if (device_has(cores)) bits |= matrix_cores_bit(cores);
  return bits;
}

}  // namespace spb::gpu
