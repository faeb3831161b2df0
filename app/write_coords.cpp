// SPDX-License-Identifier: Apache-2.0
#include "write_coords.h"

#include <bit>
#include <cerrno>
#include <cstring>
#include <fmt/format.h>
#include <fstream>
#include <string>
#include <system_error>

#include "core/error.h"
#include "report/records/append_file.h"

namespace spb::app {
namespace {

namespace fs = std::filesystem;

static_assert(std::endian::native == std::endian::little, "NPY data are written as they lie");

/// The voxel in the data's own grid.
Coord in_grid(const VoxelSet& voxels, const Coord& row) {
  return {row.batch, row.x + voxels.origin[0], row.y + voxels.origin[1], row.z + voxels.origin[2]};
}

void write_npy(const VoxelSet& voxels, std::ostream& out) {
  std::string header =
      fmt::format("{{'descr': '<i4', 'fortran_order': False, 'shape': ({}, 4), }}", voxels.size());
  constexpr size_t kPrefix = 10;  // magic, version, header length
  constexpr size_t kAlign = 64;   // of the data
  header.append(kAlign - (kPrefix + header.size() + 1) % kAlign, ' ');
  header += '\n';
  const auto length = static_cast<uint16_t>(header.size());
  out.write("\x93NUMPY\x01\x00", 8);
  out.write(reinterpret_cast<const char*>(&length), sizeof(length));
  out << header;
  for (const Coord& row : voxels.coords) {
    const Coord cell = in_grid(voxels, row);
    out.write(reinterpret_cast<const char*>(&cell), sizeof(cell));
  }
}

void write_xyz(const VoxelSet& voxels, std::ostream& out) {
  for (const Coord& row : voxels.coords) {
    const Coord cell = in_grid(voxels, row);
    out << fmt::format("{} {} {}\n", cell.x, cell.y, cell.z);
  }
}

struct Writer {
  const char* extension;
  bool holds_batches;
  void (*write)(const VoxelSet&, std::ostream&);
};
constexpr Writer kWriters[] = {{".npy", true, write_npy}, {".xyz", false, write_xyz}};

const Writer& find_writer(const fs::path& path) {
  for (const Writer& writer : kWriters)
    if (path.extension() == writer.extension) return writer;
  throw usage_error("--out", fmt::format("\"{}\" has no known extension", path.string()),
                    "use .npy or .xyz");
}

}  // namespace

void check_extension(const fs::path& path) { find_writer(path); }

void write_coords(const VoxelSet& voxels, const fs::path& path) {
  const Writer& writer = find_writer(path);
  if (voxels.box.batch_size > 1 && !writer.holds_batches)
    throw usage_error("--out", fmt::format("{} holds one batch only", writer.extension),
                      "write .npy");
  std::error_code failed;  // opening names the reason
  if (path.has_parent_path()) fs::create_directories(path.parent_path(), failed);
  report::replace_file(path, [&](const fs::path& unfinished) {
    std::ofstream out(unfinished, std::ios::binary);
    if (!out)
      throw input_error(path.string(), std::string("cannot be written: ") + std::strerror(errno));
    writer.write(voxels, out);
    out.close();
    if (!out) throw input_error(path.string(), "cannot be written", "is the disk full?");
    return true;
  });
}

}  // namespace spb::app
