// SPDX-License-Identifier: Apache-2.0
// What a file holds before voxelization, and the readers behind one table.
#pragma once

#include <cstdint>
#include <filesystem>
#include <optional>
#include <span>
#include <string>
#include <vector>

#include "core/coords.h"

namespace spb::data {

struct Point {
  double x = 0, y = 0, z = 0;
};

struct Triangle {
  int32_t a = 0, b = 0, c = 0;  ///< rows of points
};

/// Points, a mesh (points and triangles), or integer coords: exactly one of the three is what the
/// file means; `is_coords` tells the last.
struct PointCloud {
  std::vector<Point> points;  ///< double until voxels: float32 loses metres in map coordinates
  std::vector<Triangle> triangles;  ///< of meshes; empty otherwise
  std::vector<Coord> coords;        ///< of formats that store voxels; signed grid coordinates
  bool is_coords = false;
  std::string format;  ///< name of the row of formats() that read it
};

/// How a file is to be read where it does not say so itself.
struct ReadOptions {
  std::optional<int> columns;  ///< of .bin: float32 per row; default 5 for .pcd.bin, else 4
  std::string axes = "bxyz";   ///< column order of integer [n, 4] arrays: bxyz or bzyx
};

/// One row of the format table.
struct Format {
  const char* name;                         ///< "pcd"
  std::span<const char* const> extensions;  ///< lower case with dot, longest first: ".pcd.bin"
  const char* summary;
  PointCloud (*read)(const std::filesystem::path&, const ReadOptions&);
};

/// All formats, in the order in which extensions are tried.
std::span<const Format> formats();

/// Reads any supported file by its extension. Throws Error (runtime) with path, byte offset or
/// line, found and expected; never returns partial data and never allocates what a header claims
/// before the file's size confirms it.
PointCloud read_file(const std::filesystem::path& path, const ReadOptions& options = {});

}  // namespace spb::data
