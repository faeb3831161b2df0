// SPDX-License-Identifier: Apache-2.0
// Matrix cores of the device in use; on the host those whose twins run there.
#pragma once

#include "gpu/mma/lane_tables.h"

namespace spb::gpu {

/// The host's twins take warps as wide as the chip's, and are those of one chip at a time where
/// chips of these warps differ.
bool device_has(MatrixCores cores);
/// A bit each, and those of all that the device has.
constexpr unsigned matrix_cores_bit(MatrixCores cores) { return 1u << static_cast<int>(cores); }
unsigned matrix_cores_in_use();

/// Whether these cores take subnormals of operands for zeros, and products and sums below the
/// normals of fp32: CDNA2's do where operands have 16 bits (MMA-Sim, matrix_arithmetic.h).
bool flush_subnormals(MatrixCores cores, Dtype dtype);

}  // namespace spb::gpu
