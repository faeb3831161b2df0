// SPDX-License-Identifier: Apache-2.0
// The definition of a sparse convolution as nested loops, for tests: slow and obvious.
#pragma once

#include <cmath>
#include <cstdint>
#include <random>
#include <set>
#include <vector>

#include "core/expected.h"
#include "core/problem.h"

namespace spb::test {

inline Int3 displacement(const ConvGeometry& g, int offset) {
  const Int3 o = {offset / (g.kernel_size[1] * g.kernel_size[2]),
                  offset / g.kernel_size[2] % g.kernel_size[1], offset % g.kernel_size[2]};
  Int3 d;
  for (size_t a = 0; a < 3; ++a) d[a] = (o[a] - (g.kernel_size[a] - 1) / 2) * g.dilation[a];
  return d;
}

/// Whether offset `o` joins input p and output u.
inline bool joined(const ConvGeometry& g, const Coord& p, const Coord& u, int o) {
  const Int3 d = displacement(g, o);
  return p.batch == u.batch && p.x == u.x * g.stride[0] + d[0] && p.y == u.y * g.stride[1] + d[1] &&
         p.z == u.z * g.stride[2] + d[2];
}

/// Every cell of the output box against every input and offset.
inline MapSet naive_map(const VoxelSet& voxels, const ConvGeometry& g) {
  MapSet map;
  const Box box = output_box(voxels.box, g);
  if (g.kind == ConvKind::subm) {
    map.out_coords = voxels.coords;
  } else {
    for (int b = 0; b < box.batch_size; ++b)
      for (int x = 0; x < box.shape[0]; ++x)
        for (int y = 0; y < box.shape[1]; ++y)
          for (int z = 0; z < box.shape[2]; ++z) {
            const Coord u{b, x, y, z};
            bool reached = false;
            for (int o = 0; o < g.kernel_volume() && !reached; ++o)
              for (const Coord& p : voxels.coords) reached = reached || joined(g, p, u, o);
            if (reached) map.out_coords.push_back(u);
          }
  }
  for (int o = 0; o < g.kernel_volume(); ++o)
    for (size_t u = 0; u < map.out_coords.size(); ++u)
      for (size_t p = 0; p < voxels.coords.size(); ++p)
        if (joined(g, voxels.coords[p], map.out_coords[u], o))
          map.triples.push_back({o, static_cast<int32_t>(u), static_cast<int32_t>(p)});
  return map;
}

/// Unique voxels of a random density, in random order.
inline VoxelSet random_voxels(std::mt19937_64& random, int max_shape) {
  VoxelSet voxels;
  voxels.box.batch_size = 1 + static_cast<int>(random() % 2);
  for (int& axis : voxels.box.shape)
    axis = 1 + static_cast<int>(random() % static_cast<uint64_t>(max_shape));
  const uint64_t percent = 5 + random() % 80;
  for (int b = 0; b < voxels.box.batch_size; ++b)
    for (int x = 0; x < voxels.box.shape[0]; ++x)
      for (int y = 0; y < voxels.box.shape[1]; ++y)
        for (int z = 0; z < voxels.box.shape[2]; ++z)
          if (random() % 100 < percent) voxels.coords.push_back({b, x, y, z});
  std::shuffle(voxels.coords.begin(), voxels.coords.end(), random);
  return voxels;
}

inline ConvGeometry random_geometry(std::mt19937_64& random) {
  ConvGeometry g;
  g.kind = random() % 2 ? ConvKind::subm : ConvKind::strided;
  for (size_t a = 0; a < 3; ++a) {
    g.kernel_size[a] = g.kind == ConvKind::subm ? 1 + 2 * static_cast<int>(random() % 3)
                                                : 1 + static_cast<int>(random() % 4);
    g.stride[a] = g.kind == ConvKind::subm ? 1 : 1 + static_cast<int>(random() % 3);
    g.dilation[a] = 1 + static_cast<int>(random() % 2);
  }
  return g;
}

}  // namespace spb::test
