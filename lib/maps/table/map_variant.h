// SPDX-License-Identifier: Apache-2.0
// Other ways to make the same maps, by name: what is claimed of maps can be measured.
#pragma once

#include <optional>
#include <span>
#include <string>
#include <string_view>

#include "core/problem.h"
#include "maps/table/hash_options.h"

namespace spb::maps {

struct MapVariant {
  const char* name = "";  ///< column map_variant; empty: the usual way
  const char* summary = "";
  HashOptions hash = {};
};

/// All but the usual way.
std::span<const MapVariant> map_variants();

/// The variant of a name; the usual one of an empty name. Throws Error (usage) naming `where`.
const MapVariant& find_map_variant(std::string_view name, std::string_view where);

/// Nothing, or why it makes no maps of this geometry.
std::optional<std::string> unsupported(const MapVariant& variant, const ConvGeometry& geometry);

}  // namespace spb::maps
