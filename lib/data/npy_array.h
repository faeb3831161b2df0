// SPDX-License-Identifier: Apache-2.0
// One NumPy array: the format behind .npy and the members of .npz.
#pragma once

#include "data/byte_reader.h"
#include "data/point_cloud.h"

namespace spb::data {

/// Reads a whole array: integers [n, 3] or [n, 4] as coords in the column order of options.axes
/// ([n, 3] without its b), floats [n, 3 or more] as points. Throws Error (runtime).
PointCloud read_npy_array(ByteReader& file, const ReadOptions& options);

}  // namespace spb::data
