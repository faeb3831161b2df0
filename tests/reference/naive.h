// SPDX-License-Identifier: Apache-2.0
// The definition of a sparse convolution as nested loops, for tests: slow and obvious.
#pragma once

#include <algorithm>
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
  for (size_t a = 0; a < 3; ++a)
    d[a] = g.padding ? o[a] * g.dilation[a] - (*g.padding)[a]
                     : (o[a] - (g.kernel_size[a] - 1) / 2) * g.dilation[a];
  return d;
}

/// Whether offset `o` joins the fine p and the coarse u.
inline bool joined(const ConvGeometry& g, const Coord& p, const Coord& u, int o) {
  const Int3 d = displacement(g, o);
  return p.batch == u.batch && p.x == u.x * g.stride[0] + d[0] && p.y == u.y * g.stride[1] + d[1] &&
         p.z == u.z * g.stride[2] + d[2];
}

inline bool is_output(const VoxelSet& voxels, const ConvGeometry& g, const Coord& u) {
  for (const Coord& p : voxels.coords) {
    if (g.output_rule == OutputRule::floor) {
      if (p.batch == u.batch && p.x / g.stride[0] == u.x && p.y / g.stride[1] == u.y &&
          p.z / g.stride[2] == u.z)
        return true;
      continue;
    }
    for (int o = 0; o < g.kernel_volume(); ++o)
      if (joined(g, p, u, o)) return true;
  }
  return false;
}

/// Whether the extent of the outputs keeps u on an axis.
inline bool is_kept(const VoxelSet& voxels, const ConvGeometry& g, int u, size_t a) {
  if (g.output_extent == OutputExtent::complete) return true;
  const int shape = voxels.box.shape[a];
  if (u < 0) return false;
  if (!g.padding) return u * g.stride[a] < shape;
  return u * g.stride[a] + (g.kernel_size[a] - 1) * g.dilation[a] < shape + 2 * (*g.padding)[a];
}

/// Where complete outputs begin: the least cell that a full box reaches.
inline Int3 first_output(const VoxelSet& voxels, const ConvGeometry& g) {
  Int3 first{0, 0, 0};
  if (g.output_extent == OutputExtent::box || g.output_rule == OutputRule::floor) return first;
  for (size_t a = 0; a < 3; ++a) {
    int least = 1000;
    for (int o = 0; o < g.kernel_volume(); ++o)
      for (int p = 0; p < voxels.box.shape[a]; ++p)
        if (const int from = p - displacement(g, o)[a]; from % g.stride[a] == 0)
          least = std::min(least, from / g.stride[a]);
    if (least < 1000) first[a] = least;
  }
  return first;
}

/// Every cell far around the box against every input and offset.
inline MapSet naive_map(const VoxelSet& voxels, const ConvGeometry& g) {
  MapSet map;
  std::vector<Coord> outputs;  // before they are counted from 0
  if (g.kind == ConvKind::subm) {
    outputs = voxels.coords;
    map.out_coords = voxels.coords;
  } else {
    constexpr int kBefore = 8, kBehind = 16;
    const Int3 first = first_output(voxels, g);
    for (int b = 0; b < voxels.box.batch_size; ++b)
      for (int x = -kBefore; x < kBehind; ++x)
        for (int y = -kBefore; y < kBehind; ++y)
          for (int z = -kBefore; z < kBehind; ++z) {
            const Coord u{b, x, y, z};
            if (!is_kept(voxels, g, x, 0) || !is_kept(voxels, g, y, 1) ||
                !is_kept(voxels, g, z, 2) || !is_output(voxels, g, u))
              continue;
            outputs.push_back(u);
            map.out_coords.push_back({b, x - first[0], y - first[1], z - first[2]});
          }
  }
  for (int o = 0; o < g.kernel_volume(); ++o)
    for (size_t u = 0; u < outputs.size(); ++u)
      for (size_t p = 0; p < voxels.coords.size(); ++p)
        if (joined(g, voxels.coords[p], outputs[u], o))
          map.triples.push_back({o, static_cast<int32_t>(u), static_cast<int32_t>(p)});
  return map;
}

/// The other way round: inputs are the strided layer's outputs.
inline MapSet naive_inverse(const VoxelSet& voxels, ConvGeometry g) {
  g.kind = ConvKind::strided;
  const MapSet strided = naive_map(voxels, g);
  MapSet map{voxels.coords, {}, strided.out_coords};
  for (const Triple& t : strided.triples) map.triples.push_back({t.offset, t.in, t.out});
  std::ranges::sort(map.triples);
  return map;
}

/// Every cell far around against every voxel and offset: output p of input u.
inline MapSet naive_generative(const VoxelSet& voxels, const ConvGeometry& g) {
  MapSet map;
  std::vector<Coord> outputs;
  constexpr int kBefore = 10, kBehind = 40;
  const auto is_kept = [&](int p, size_t a) {
    if (g.output_extent == OutputExtent::complete) return true;
    const int shape = voxels.box.shape[a], span = (g.kernel_size[a] - 1) * g.dilation[a];
    const int cells = g.padding ? (shape - 1) * g.stride[a] - 2 * (*g.padding)[a] + span + 1
                                : shape * g.stride[a];
    return p >= 0 && p < cells;
  };
  Int3 first{0, 0, 0};
  for (size_t a = 0; a < 3; ++a)
    if (g.output_extent == OutputExtent::complete) first[a] = displacement(g, 0)[a];
  for (int b = 0; b < voxels.box.batch_size; ++b)
    for (int x = -kBefore; x < kBehind; ++x)
      for (int y = -kBefore; y < kBehind; ++y)
        for (int z = -kBefore; z < kBehind; ++z) {
          if (!is_kept(x, 0) || !is_kept(y, 1) || !is_kept(z, 2)) continue;
          const Coord p{b, x, y, z};
          bool reached = false;
          for (const Coord& u : voxels.coords)
            for (int o = 0; o < g.kernel_volume() && !reached; ++o) reached = joined(g, p, u, o);
          if (!reached) continue;
          outputs.push_back(p);
          map.out_coords.push_back({b, x - first[0], y - first[1], z - first[2]});
        }
  for (int o = 0; o < g.kernel_volume(); ++o)
    for (size_t p = 0; p < outputs.size(); ++p)
      for (size_t u = 0; u < voxels.coords.size(); ++u)
        if (joined(g, outputs[p], voxels.coords[u], o))
          map.triples.push_back({o, static_cast<int32_t>(p), static_cast<int32_t>(u)});
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
  if (g.kind == ConvKind::subm) return g;
  if (random() % 2) g.output_rule = OutputRule::floor;
  if (random() % 2) g.output_extent = OutputExtent::complete;
  return g;
}

}  // namespace spb::test
