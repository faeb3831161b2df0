// SPDX-License-Identifier: Apache-2.0
// TOML that somebody else may have written.
#pragma once

#include <fmt/format.h>
#include <string>
#include <string_view>
#include <toml++/toml.h>

#include "core/error.h"
#include "core/nesting.h"

namespace spb {

/// The table that `text` is. Throws Error (usage) naming `path` and the line when it is none, or
/// nests deeper than kMostLevels.
inline toml::table parse_toml(std::string_view text, const std::string& path) {
  if (const auto line = line_of_deep_nesting(text))
    throw usage_error(fmt::format("{}:{}", path, *line),
                      fmt::format("nests lists, tables or keys deeper than {} levels", kMostLevels),
                      "write it flat");
  try {
    return toml::parse(text, path);
  } catch (const toml::parse_error& error) {
    throw usage_error(fmt::format("{}:{}", path, error.source().begin.line), error.description());
  }
}

}  // namespace spb
