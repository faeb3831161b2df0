// SPDX-License-Identifier: Apache-2.0
#include "data/formats_internal.h"
#include "data/npy_array.h"

namespace spb::data {

PointCloud read_npy(const std::filesystem::path& path, const ReadOptions& options) {
  ByteReader file(path);
  return read_npy_array(file, options);
}

}  // namespace spb::data
