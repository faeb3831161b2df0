// SPDX-License-Identifier: Apache-2.0
// Kernel maps by sorting and searching, straight from the definition p = u * stride + displacement.
//
// For one kernel offset the wanted input moves through the sorted inputs in the order of the
// sorted outputs, so a cursor that gallops forward finds every neighbor in one sweep.
#include <algorithm>
#include <numeric>
#include <optional>
#include <span>
#include <string>

#include "core/error.h"
#include "core/parallel.h"
#include "reference/reference.h"

namespace spb::reference {
namespace {

// Coords have no sign once they are known to be inside their box, so they order as one number.
using Key = unsigned __int128;

Key pack(const Coord& c) {
  const auto high = static_cast<uint64_t>(c.batch) << 32 | static_cast<uint32_t>(c.x);
  const auto low = static_cast<uint64_t>(c.y) << 32 | static_cast<uint32_t>(c.z);
  return static_cast<Key>(high) << 64 | low;
}

Coord unpack(Key key) {
  return {static_cast<int32_t>(key >> 96), static_cast<int32_t>(key >> 64),
          static_cast<int32_t>(key >> 32), static_cast<int32_t>(key)};
}

bool inside(const Coord& c, const Box& box) {
  return c.batch >= 0 && c.batch < box.batch_size && c.x >= 0 && c.x < box.shape[0] && c.y >= 0 &&
         c.y < box.shape[1] && c.z >= 0 && c.z < box.shape[2];
}

struct SortedRows {
  std::vector<Key> keys;      ///< ascending
  std::vector<int32_t> rows;  ///< the row of each key
};

SortedRows sort_rows(std::span<const Coord> coords, const Box& box) {
  struct Entry {
    Key key;
    int32_t row;
  };
  std::vector<Entry> entries(coords.size());
  for (size_t i = 0; i < coords.size(); ++i) {
    if (!inside(coords[i], box))
      throw input_error("row " + std::to_string(i), "coords lie outside the box");
    entries[i] = {pack(coords[i]), static_cast<int32_t>(i)};
  }
  const auto by_key = [](const Entry& a, const Entry& b) { return a.key < b.key; };
  if (!std::ranges::is_sorted(entries, by_key)) std::ranges::sort(entries, by_key);
  SortedRows sorted;
  sorted.keys.reserve(entries.size());
  sorted.rows.reserve(entries.size());
  for (const Entry& entry : entries) {
    if (!sorted.keys.empty() && sorted.keys.back() == entry.key)
      throw input_error("row " + std::to_string(entry.row),
                        "same coords as row " + std::to_string(sorted.rows.back()),
                        "merge duplicate voxels first");
    sorted.keys.push_back(entry.key);
    sorted.rows.push_back(entry.row);
  }
  return sorted;
}

/// Of a component on one axis, before outputs are counted from 0.
int64_t step_of(const ConvGeometry& g, size_t axis, int component) {
  if (g.padding) return int64_t{component} * g.dilation[axis] - (*g.padding)[axis];
  return int64_t{component - (g.kernel_size[axis] - 1) / 2} * g.dilation[axis];
}

/// Output coords on one axis, both ends included, as p = u * stride + step counts them.
struct AxisRange {
  int64_t first = 0, last = -1;
  int32_t size() const { return static_cast<int32_t>(last - first + 1); }
};

/// made_grid()'s cells, derived once more: the reference shares no arithmetic with what it
/// judges.
AxisRange output_range(const ConvGeometry& g, size_t axis, int64_t shape) {
  if (shape == 0) return {};
  const int64_t stride = g.stride[axis], last_cell = (shape - 1) / stride;
  if (g.output_extent == OutputExtent::complete && g.output_rule == OutputRule::reached) {
    // The least u with u * stride + largest step >= 0, the largest with least step <= shape - 1.
    const int64_t most = step_of(g, axis, g.kernel_size[axis] - 1), least = step_of(g, axis, 0);
    AxisRange range{-most / stride, (shape - 1 - least) / stride};
    if (range.first * stride + most < 0) ++range.first;  // quotients round towards 0
    if (range.last * stride > shape - 1 - least) --range.last;
    return range;
  }
  if (g.output_extent == OutputExtent::complete || !g.padding) return {0, last_cell};
  // spconv: as many steps of the stride as the kernel makes inside the padded input, and one.
  const int64_t room = shape + 2 * int64_t{(*g.padding)[axis]} -
                       int64_t{g.dilation[axis]} * (g.kernel_size[axis] - 1) - 1;
  return room < 0 ? AxisRange{} : AxisRange{0, room / stride};
}

/// The fine coords on one axis that a generative layer's voxels reach, in the same count.
AxisRange generated_range(const ConvGeometry& g, size_t axis, int64_t shape) {
  if (shape == 0) return {};
  const int64_t last_voxel = (shape - 1) * g.stride[axis];
  const int64_t least = step_of(g, axis, 0), most = step_of(g, axis, g.kernel_size[axis] - 1);
  if (g.output_extent == OutputExtent::complete) return {least, last_voxel + most};
  if (!g.padding) return {0, last_voxel + g.stride[axis] - 1};
  // spconv crops as much behind as before.
  return {0, last_voxel + most - (*g.padding)[axis]};
}

/// What a layer's own coords may be, and how they lead to the others.
struct MadeCells {
  Box box;                            ///< counted from 0
  std::array<int64_t, 3> shift = {};  ///< p = u * stride + step + shift, as both are counted
};

MadeCells made_cells(const Box& voxels, const ConvGeometry& g) {
  MadeCells cells{voxels, {}};
  if (g.kind == ConvKind::subm) return cells;
  for (size_t axis = 0; axis < 3; ++axis) {
    const bool generative = g.kind == ConvKind::generative;
    const AxisRange range = generative ? generated_range(g, axis, voxels.shape[axis])
                                       : output_range(g, axis, voxels.shape[axis]);
    cells.box.shape[axis] = range.size();
    cells.shift[axis] = generative ? -range.first : range.first * g.stride[axis];
  }
  return cells;
}

/// From the coarse u to the fine p, as they are counted: p = u * stride + displacement.
std::array<int64_t, 3> displacement(const ConvGeometry& g, const MadeCells& cells, int offset) {
  const Int3 index = {offset / (g.kernel_size[1] * g.kernel_size[2]),
                      offset / g.kernel_size[2] % g.kernel_size[1], offset % g.kernel_size[2]};
  std::array<int64_t, 3> result;
  for (size_t axis = 0; axis < 3; ++axis)
    result[axis] = step_of(g, axis, index[axis]) + cells.shift[axis];
  return result;
}

/// The fine coordinate that the coarse `u` is joined to, if inside the fine axis.
std::optional<int32_t> fine_of(int32_t u, int32_t stride, int64_t shift, int32_t shape) {
  const int64_t p = int64_t{u} * stride + shift;
  if (p < 0 || p >= shape) return std::nullopt;
  return static_cast<int32_t>(p);
}

/// The coarse coordinate that is joined to the fine `p`, if there is one inside the coarse axis.
std::optional<int32_t> coarse_of(int32_t p, int32_t stride, int64_t shift, int32_t shape) {
  const int64_t scaled = p - shift;
  if (scaled % stride != 0) return std::nullopt;
  const int64_t u = scaled / stride;
  if (u < 0 || u >= shape) return std::nullopt;
  return static_cast<int32_t>(u);
}

template <typename AxisRule>
std::optional<Key> apply(AxisRule rule, Key key, const ConvGeometry& g,
                         const std::array<int64_t, 3>& shift, const Box& box) {
  const Coord c = unpack(key);
  const auto x = rule(c.x, g.stride[0], shift[0], box.shape[0]);
  const auto y = rule(c.y, g.stride[1], shift[1], box.shape[1]);
  const auto z = rule(c.z, g.stride[2], shift[2], box.shape[2]);
  if (!x || !y || !z) return std::nullopt;
  return pack({c.batch, *x, *y, *z});
}

/// Every cell that a voxel leads to by `rule` through an offset, ascending. For one offset
/// candidates ascend with the voxels and cannot repeat, so the cells are a union of sorted lists.
template <typename AxisRule>
std::vector<Key> reached_cells(AxisRule rule, std::span<const Key> voxels, const ConvGeometry& g,
                               const MadeCells& cells) {
  constexpr int kGroups = 16;  // groups of offsets, each a union of its own, then joined
  std::vector<std::vector<Key>> unions(kGroups);
  const int kernel_volume = g.kernel_volume();
  const auto join = [](std::vector<Key>& into, std::vector<Key> more) {
    std::vector<Key> joined;
    joined.reserve(std::max(into.size(), more.size()));
    std::ranges::set_union(into, more, std::back_inserter(joined));
    into.swap(joined);
  };
  parallel_for(kGroups, [&](int64_t group) {
    for (int o = static_cast<int>(group); o < kernel_volume; o += kGroups) {
      const auto shift = displacement(g, cells, o);
      std::vector<Key> candidates;
      for (const Key key : voxels)
        if (const auto cell = apply(rule, key, g, shift, cells.box)) candidates.push_back(*cell);
      join(unions[static_cast<size_t>(group)], std::move(candidates));
    }
  });
  for (size_t width = 1; width < kGroups; width *= 2)
    for (size_t i = 0; i < kGroups; i += 2 * width) join(unions[i], std::move(unions[i + width]));
  return std::move(unions[0]);
}

/// OutputRule::floor: the cell of stride voxels that an input lies in, ascending.
std::vector<Key> floor_outputs(std::span<const Key> inputs, const ConvGeometry& g,
                               const MadeCells& cells) {
  std::vector<Key> outputs;
  for (const Key key : inputs) {
    const Coord p = unpack(key);
    const Coord u{p.batch, p.x / g.stride[0], p.y / g.stride[1], p.z / g.stride[2]};
    if (inside(u, cells.box)) outputs.push_back(pack(u));
  }
  std::ranges::sort(outputs);
  const auto repeated = std::ranges::unique(outputs);
  outputs.erase(repeated.begin(), repeated.end());
  return outputs;
}

/// First position at or after `cursor` with keys[position] >= wanted: doubling steps, then a
/// binary search, so that near neighbors cost little and far ones the logarithm.
size_t gallop(std::span<const Key> keys, size_t cursor, Key wanted) {
  size_t step = 1, low = cursor;
  while (low + step <= keys.size() && keys[low + step - 1] < wanted) {
    low += step;
    step *= 2;
  }
  const size_t high = std::min(low + step, keys.size());
  return static_cast<size_t>(std::lower_bound(keys.begin() + static_cast<std::ptrdiff_t>(low),
                                              keys.begin() + static_cast<std::ptrdiff_t>(high),
                                              wanted) -
                             keys.begin());
}

/// Triples whose `out` is a coarse row and whose `in` is a fine one.
Triples triples_of_offset(int offset, const SortedRows& in, const SortedRows& out,
                          const ConvGeometry& g, const Box& in_box, const MadeCells& cells) {
  const auto shift = displacement(g, cells, offset);
  std::vector<int32_t> in_of_out(out.rows.size(), -1);
  size_t cursor = 0, found = 0;
  for (size_t i = 0; i < out.keys.size(); ++i) {
    const auto wanted = apply(fine_of, out.keys[i], g, shift, in_box);
    if (!wanted) continue;
    cursor = gallop(in.keys, cursor, *wanted);
    if (cursor == in.keys.size() || in.keys[cursor] != *wanted) continue;
    in_of_out[static_cast<size_t>(out.rows[i])] = in.rows[cursor];
    ++found;
  }
  Triples triples;
  triples.reserve(found);
  for (size_t u = 0; u < in_of_out.size(); ++u)
    if (in_of_out[u] >= 0) triples.push_back({offset, static_cast<int32_t>(u), in_of_out[u]});
  return triples;
}

std::vector<Key> made_keys(std::span<const Key> voxels, const ConvGeometry& g,
                           const MadeCells& cells) {
  if (g.kind == ConvKind::generative) return reached_cells(fine_of, voxels, g, cells);
  return g.output_rule == OutputRule::floor ? floor_outputs(voxels, g, cells)
                                            : reached_cells(coarse_of, voxels, g, cells);
}

/// All triples of coarse (`out`) and fine (`in`) rows, sorted; with `turned`, the other way round.
Triples all_triples(const SortedRows& fine, const SortedRows& coarse, const ConvGeometry& geometry,
                    const Box& fine_box, const MadeCells& cells, bool turned) {
  std::vector<Triples> per_offset(static_cast<size_t>(geometry.kernel_volume()));
  parallel_for(geometry.kernel_volume(), [&](int64_t o) {
    Triples& own = per_offset[static_cast<size_t>(o)];
    own = triples_of_offset(static_cast<int>(o), fine, coarse, geometry, fine_box, cells);
    if (!turned) return;
    for (Triple& triple : own) std::swap(triple.out, triple.in);
    std::ranges::sort(own);
  });
  std::vector<size_t> begins(per_offset.size() + 1);
  for (size_t o = 0; o < per_offset.size(); ++o) begins[o + 1] = begins[o] + per_offset[o].size();
  Triples all(begins.back());
  parallel_for(geometry.kernel_volume(), [&](int64_t o) {
    const auto at = static_cast<size_t>(o);
    std::ranges::copy(per_offset[at], all.data() + begins[at]);
    Triples().swap(per_offset[at]);  // freed at once: two full copies would be the peak
  });
  return all;
}

}  // namespace

MapSet build_map(const VoxelSet& voxels, const ConvGeometry& geometry) {
  if (const auto reason = invalid(geometry)) throw usage_error("convolution", *reason);
  const SortedRows given = sort_rows(voxels.coords, voxels.box);
  const MadeCells cells = made_cells(voxels.box, geometry);
  MapSet map;
  if (geometry.kind == ConvKind::subm) {
    map.out_coords = voxels.coords;
    map.triples = all_triples(given, given, geometry, voxels.box, cells, false);
    return map;
  }
  SortedRows made{made_keys(given.keys, geometry, cells), {}};
  made.rows.resize(made.keys.size());
  std::iota(made.rows.begin(), made.rows.end(), 0);
  std::vector<Coord> made_coords;
  made_coords.reserve(made.keys.size());
  for (const Key key : made.keys) made_coords.push_back(unpack(key));

  const bool turned = is_transposed(geometry.kind);
  if (geometry.kind == ConvKind::generative)
    map.triples = all_triples(made, given, geometry, cells.box, cells, turned);
  else
    map.triples = all_triples(given, made, geometry, voxels.box, cells, turned);
  if (geometry.kind == ConvKind::inverse) {
    map.out_coords = voxels.coords;
    map.in_coords = std::move(made_coords);
  } else {
    map.out_coords = std::move(made_coords);
  }
  return map;
}

}  // namespace spb::reference
