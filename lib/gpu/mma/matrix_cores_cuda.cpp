// SPDX-License-Identifier: Apache-2.0
#include "gpu/device_info.h"
#include "gpu/mma/matrix_cores_in_use.h"

namespace spb::gpu {

bool device_has(MatrixCores cores) { return has_matrix_cores(device_in_use().arch, cores); }

bool flush_subnormals(MatrixCores, Dtype) { return false; }

}  // namespace spb::gpu
