// SPDX-License-Identifier: Apache-2.0
#include "maps/table/map_variant.h"

#include <vector>

#include "core/error.h"
#include "core/nearest.h"
#include "maps/table/cells.h"

namespace spb::maps {
namespace {

constexpr MapVariant kUsual;
constexpr MapVariant kVariants[] = {
    {"key64", "keys of 64 bits in every box", {.key_bits = 64}},
    {"load50", "a table at most half full", {.load_factor = 0.5}},
    {"load25", "a table at most a quarter full", {.load_factor = 0.25}},
    {"half", "half of the lookups, mirrored entries written with them", {.half = true}},
    {"voxels", "a table of voxels, a lookup for each offset", {.table_of = TableOf::voxels}},
    {"cells", "cells of 4 x 4 x 4 voxels, each found once a row", {.table_of = TableOf::cells}},
};

}  // namespace

std::span<const MapVariant> map_variants() { return kVariants; }

const MapVariant& find_map_variant(std::string_view name, std::string_view where) {
  if (name.empty()) return kUsual;
  std::vector<std::string> names;
  std::string list;
  for (const MapVariant& variant : kVariants) {
    if (name == variant.name) return variant;
    names.emplace_back(variant.name);
    list.append(list.empty() ? "" : ", ").append(variant.name);
  }
  throw usage_error(where, unknown_name(name, names) + " (known: default, " + list + ")");
}

std::optional<std::string> unsupported(const MapVariant& variant, const ConvGeometry& geometry) {
  if (variant.hash.half && geometry.kind != ConvKind::subm)
    return std::string("map variant ") + variant.name +
           ": only a submanifold map has mirrored entries";
  if (const auto reason =
          variant.hash.table_of == TableOf::cells ? no_cells(geometry) : std::nullopt)
    return std::string("map variant ") + variant.name + ": " + *reason;
  return std::nullopt;
}

}  // namespace spb::maps
