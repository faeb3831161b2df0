// SPDX-License-Identifier: Apache-2.0
// The maps' own truth: every definition read off algorithms.md, with nested loops.
#pragma once

#include <algorithm>
#include <map>
#include <random>
#include <set>
#include <utility>
#include <vector>

#include "core/expected.h"
#include "core/problem.h"

namespace spb::brute {

/// `count` distinct cells of the box in random order (all cells when it holds fewer).
inline VoxelSet random_voxels(const Box& box, int64_t count, uint32_t seed) {
  std::mt19937 random(seed);
  std::set<Coord> cells;
  const int64_t most = int64_t{box.batch_size} * box.shape[0] * box.shape[1] * box.shape[2];
  const auto pick = [&](int32_t extent) {
    return static_cast<int32_t>(random() % static_cast<uint32_t>(extent));
  };
  while (static_cast<int64_t>(cells.size()) < std::min(count, most))
    cells.insert(
        {pick(box.batch_size), pick(box.shape[0]), pick(box.shape[1]), pick(box.shape[2])});
  VoxelSet voxels{{cells.begin(), cells.end()}, box, {0, 0, 0}};
  std::shuffle(voxels.coords.begin(), voxels.coords.end(), random);
  return voxels;
}

/// Calls visit(o, d) for every kernel offset with its displacement, o ascending.
template <class Visit>
void for_offsets(const ConvGeometry& g, Visit visit) {
  Int3 before{};
  for (size_t a = 0; a < 3; ++a)
    before[a] = g.padding ? (*g.padding)[a] : (g.kernel_size[a] - 1) / 2 * g.dilation[a];
  int32_t o = 0;
  for (int32_t x = 0; x < g.kernel_size[0]; ++x)
    for (int32_t y = 0; y < g.kernel_size[1]; ++y)
      for (int32_t z = 0; z < g.kernel_size[2]; ++z, ++o)
        visit(o, Int3{x * g.dilation[0] - before[0], y * g.dilation[1] - before[1],
                      z * g.dilation[2] - before[2]});
}

/// What 0 of the outputs' coords stands for, and how many there are: every u is tried.
inline std::pair<int32_t, int32_t> output_range(const Box& in, const ConvGeometry& g, size_t a) {
  const int32_t shape = in.shape[a], stride = g.stride[a];
  const bool is_complete = g.output_extent == OutputExtent::complete;
  if (shape == 0) return {0, 0};
  if (is_complete && g.output_rule == OutputRule::reached) {
    std::set<int32_t> reached;  // on this axis alone, were all cells of the box there
    for (int32_t u = -100; u <= 100; ++u)
      for_offsets(g, [&](int32_t, const Int3& d) {
        if (u * stride + d[a] >= 0 && u * stride + d[a] < shape) reached.insert(u);
      });
    // Strides beyond the kernel leave cells between that nothing reaches.
    return reached.empty() ? std::pair{0, 0}
                           : std::pair{*reached.begin(), *reached.rbegin() - *reached.begin() + 1};
  }
  if (is_complete || !g.padding) return {0, (shape + stride - 1) / stride};
  // spconv: where a kernel fits into the padded input, it has an output.
  int32_t count = 0;
  const int32_t span = (g.kernel_size[a] - 1) * g.dilation[a];
  while (count * stride + span < shape + 2 * (*g.padding)[a]) ++count;
  return {0, count};
}

inline std::vector<Coord> output_coords(const VoxelSet& in, const ConvGeometry& g) {
  if (g.kind == ConvKind::subm) return in.coords;
  const std::pair<int32_t, int32_t> ranges[] = {
      output_range(in.box, g, 0), output_range(in.box, g, 1), output_range(in.box, g, 2)};
  std::set<Coord> out;
  const auto propose = [&](int32_t batch, Int3 u) {
    for (size_t a = 0; a < 3; ++a) {
      u[a] -= ranges[a].first;
      if (u[a] < 0 || u[a] >= ranges[a].second) return;
    }
    out.insert({batch, u[0], u[1], u[2]});
  };
  for (const Coord& p : in.coords) {
    if (g.output_rule == OutputRule::floor) {
      propose(p.batch, {p.x / g.stride[0], p.y / g.stride[1], p.z / g.stride[2]});
      continue;
    }
    for_offsets(g, [&](int32_t, const Int3& d) {
      const Int3 from{p.x - d[0], p.y - d[1], p.z - d[2]};
      Int3 u{};
      for (size_t a = 0; a < 3; ++a) {
        if (from[a] % g.stride[a] != 0) return;
        u[a] = from[a] / g.stride[a];
      }
      propose(p.batch, u);
    });
  }
  return {out.begin(), out.end()};
}

/// What to add to output coords before p = u * stride + d holds.
inline Int3 first_output(const VoxelSet& in, const ConvGeometry& g) {
  if (g.kind == ConvKind::subm) return {0, 0, 0};
  return {output_range(in.box, g, 0).first, output_range(in.box, g, 1).first,
          output_range(in.box, g, 2).first};
}

/// [n_out, kernel_volume] input rows, -1 = absent.
inline std::vector<int32_t> neighbor_map(const VoxelSet& in, const std::vector<Coord>& out,
                                         const ConvGeometry& g) {
  std::map<Coord, int32_t> rows;
  for (const Coord& p : in.coords) rows.emplace(p, static_cast<int32_t>(rows.size()));
  std::vector<int32_t> map;
  const Int3 first = first_output(in, g);
  for (const Coord& u : out)
    for_offsets(g, [&](int32_t, const Int3& d) {
      const auto found =
          rows.find({u.batch, (u.x + first[0]) * g.stride[0] + d[0],
                     (u.y + first[1]) * g.stride[1] + d[1], (u.z + first[2]) * g.stride[2] + d[2]});
      map.push_back(found == rows.end() ? -1 : found->second);
    });
  return map;
}

/// masks[row][o]: whether the row has offset o.
inline std::vector<std::vector<bool>> masks(const std::vector<int32_t>& map, int volume) {
  std::vector<std::vector<bool>> rows(map.size() / static_cast<size_t>(volume));
  for (size_t i = 0; i < map.size(); ++i)
    rows[i / static_cast<size_t>(volume)].push_back(map[i] >= 0);
  return rows;
}

/// The mask's place in the sequence, most significant bit first, as far as the offsets [first, end)
/// decide it: the mask itself, or for Gray the parity of each bit and all above it. For Gray the
/// offsets of a kernel of up to 32 rank by the components that differ from the center's.
inline std::vector<bool> rank(const std::vector<bool>& mask, bool gray, const Int3& kernel,
                              int first, int end) {
  std::vector<std::pair<int, int>> offsets;  // distance, number
  int o = 0;
  for (int32_t x = 0; x < kernel[0]; ++x)
    for (int32_t y = 0; y < kernel[1]; ++y)
      for (int32_t z = 0; z < kernel[2]; ++z, ++o) {
        const int distance =
            (x != (kernel[0] - 1) / 2) + (y != (kernel[1] - 1) / 2) + (z != (kernel[2] - 1) / 2);
        if (o >= first && o < end)
          offsets.emplace_back(gray && mask.size() <= 32 ? distance : 0, o);
      }
  std::sort(offsets.rbegin(), offsets.rend());
  std::vector<bool> bits;
  for (const auto& [distance, offset] : offsets) bits.push_back(mask[static_cast<size_t>(offset)]);
  if (gray)
    for (size_t i = 1; i < bits.size(); ++i) bits[i] = bits[i] != bits[i - 1];
  return bits;
}

/// Generative: every fine cell that a voxel reaches, and from where they are counted.
struct Generated {
  std::vector<Coord> coords;
  Int3 first{};
};
inline Generated generated(const VoxelSet& voxels, const ConvGeometry& g) {
  Generated made;
  Int3 end{};
  for (size_t a = 0; a < 3; ++a) {
    const int32_t last = (voxels.box.shape[a] - 1) * g.stride[a];
    const int32_t span = (g.kernel_size[a] - 1) * g.dilation[a];
    end[a] = last + g.stride[a];
    if (g.padding) end[a] = last - 2 * (*g.padding)[a] + span + 1;
    if (g.output_extent == OutputExtent::box || voxels.box.shape[a] == 0) continue;
    end[a] = made.first[a] =
        1000;  // complete: no end, and from the least that a voxel at 0 reaches
    for_offsets(g, [&](int32_t, const Int3& d) { made.first[a] = std::min(made.first[a], d[a]); });
  }
  std::set<Coord> cells;
  for (const Coord& u : voxels.coords)
    for_offsets(g, [&](int32_t, const Int3& d) {
      const Int3 p{u.x * g.stride[0] + d[0], u.y * g.stride[1] + d[1], u.z * g.stride[2] + d[2]};
      for (size_t a = 0; a < 3; ++a)
        if (p[a] < made.first[a] || p[a] >= end[a]) return;
      cells.insert({u.batch, p[0] - made.first[0], p[1] - made.first[1], p[2] - made.first[2]});
    });
  made.coords.assign(cells.begin(), cells.end());
  return made;
}

/// Of transposed kinds: every offset of every coarse row against the fine rows.
inline MapSet transposed_set(const VoxelSet& voxels, const ConvGeometry& g) {
  MapSet set;
  std::vector<Coord> coarse = voxels.coords;
  Int3 coarse_first{}, fine_first{};
  if (g.kind == ConvKind::inverse) {
    ConvGeometry partner = g;
    partner.kind = ConvKind::strided;
    coarse = output_coords(voxels, partner);
    coarse_first = first_output(voxels, partner);
    set.in_coords = coarse;
    set.out_coords = voxels.coords;
  } else {
    const Generated made = generated(voxels, g);
    set.out_coords = made.coords;
    fine_first = made.first;
  }
  std::map<Coord, int32_t> rows;
  for (const Coord& p : set.out_coords) rows.emplace(p, static_cast<int32_t>(rows.size()));
  for (size_t u = 0; u < coarse.size(); ++u)
    for_offsets(g, [&](int32_t o, const Int3& d) {
      const auto at = [&](int32_t c, size_t a) {
        return (c + coarse_first[a]) * g.stride[a] + d[a] - fine_first[a];
      };
      const Coord& c = coarse[u];
      const auto found = rows.find({c.batch, at(c.x, 0), at(c.y, 1), at(c.z, 2)});
      if (found != rows.end()) set.triples.push_back({o, found->second, static_cast<int32_t>(u)});
    });
  std::sort(set.triples.begin(), set.triples.end());
  return set;
}

/// The map as a set, for statistics of sets whose pairs are known.
inline MapSet map_set(const VoxelSet& in, const ConvGeometry& g) {
  if (is_transposed(g.kind)) return transposed_set(in, g);
  MapSet set;
  set.out_coords = output_coords(in, g);
  const std::vector<int32_t> map = neighbor_map(in, set.out_coords, g);
  const int32_t volume = g.kernel_volume();
  for (size_t i = 0; i < map.size(); ++i)
    if (map[i] >= 0)
      set.triples.push_back({static_cast<int32_t>(i) % volume,
                             static_cast<int32_t>(i / static_cast<size_t>(volume)), map[i]});
  std::sort(set.triples.begin(), set.triples.end());
  return set;
}

/// The field's benchmark: a shell of the sphere in an R^3 grid, 256^3 blocks in lexicographic
/// order. All coordinates doubled, so that the center is an integer.
inline VoxelSet sphere(int32_t resolution) {
  VoxelSet voxels;
  voxels.box.shape = {resolution, resolution, resolution};
  const int64_t r = resolution, inner = r * r - 5 * r + 7;
  const auto square = [&](int64_t i) { return (2 * i - r + 1) * (2 * i - r + 1); };
  for (int64_t x = 0; x < r; ++x)
    for (int64_t y = 0; y < r; ++y)
      for (int64_t z = 0; z < r; ++z)
        if (const int64_t s = square(x) + square(y) + square(z); s >= inner && s <= r * r)
          voxels.coords.push_back(
              {0, static_cast<int32_t>(x), static_cast<int32_t>(y), static_cast<int32_t>(z)});
  std::stable_sort(voxels.coords.begin(), voxels.coords.end(), [](const Coord& a, const Coord& b) {
    return Int3{a.x / 256, a.y / 256, a.z / 256} < Int3{b.x / 256, b.y / 256, b.z / 256};
  });
  return voxels;
}

}  // namespace spb::brute
