// SPDX-License-Identifier: Apache-2.0
#include "data/byte_reader.h"
#include "data/formats_internal.h"
#include "data/scalar.h"

namespace spb::data {

PointCloud read_bin(const std::filesystem::path& path, const ReadOptions& options) {
  // The size of a file does not tell its columns: many divide by 16 and by 20 or 24.
  const auto inner = path.stem().extension();
  const bool is_nuscenes = inner == ".pcd" || inner == ".PCD";
  const int columns = options.columns.value_or(is_nuscenes ? 5 : 4);
  if (columns < 3 || columns > 1024)
    throw usage_error("--columns", "found " + std::to_string(columns) + ", expected 3 to 1024");

  ByteReader file(path);
  const int64_t row_bytes = 4 * int64_t{columns}, rows = file.size() / row_bytes;
  if (file.size() % row_bytes != 0)
    throw file.error_at(rows * row_bytes,
                        "file of " + std::to_string(file.size()) +
                            " bytes ends inside a row: found " +
                            std::to_string(file.size() % row_bytes) + " bytes, expected " +
                            std::to_string(row_bytes),
                        "give the float32 columns of a row with --columns, or fetch it again");
  file.require_rows(rows, row_bytes, "rows");

  PointCloud cloud;
  cloud.points.resize(static_cast<size_t>(rows));
  file.for_blocks(rows, row_bytes, "rows", [&](int64_t first, int64_t n, const uint8_t* bytes) {
    for (int64_t row = 0; row < n; ++row, bytes += row_bytes)
      cloud.points[static_cast<size_t>(first + row)] = {load<float>(bytes), load<float>(bytes + 4),
                                                        load<float>(bytes + 8)};
  });
  return cloud;
}

}  // namespace spb::data
