// SPDX-License-Identifier: Apache-2.0
// An instruction of AMD's matrix cores on the host: fragments go around by its lane table.
#pragma once

#include "gpu/mma/lane_tables.h"
#include "gpu/mma/matrix_arithmetic.h"
#include "gpu/vendor/host_device.h"

namespace spb::gpu {

/// Whose arithmetic twins of cdna have. Starts as the environment's SPB_HOST_CHIP=gfx90a says;
/// otherwise gfx942, which keeps subnormals.
extern MatrixArithmetic host_matrix_arithmetic;

namespace vendor {

/// Of a warp as wide as the table's. a, b: the lane's elements as they are stored; sums: its own.
void multiply_as_twin(const MatrixAtom& atom, const void* a, const void* b, float* sums,
                      const Site& site);

}  // namespace vendor
}  // namespace spb::gpu
