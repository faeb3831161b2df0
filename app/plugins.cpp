// SPDX-License-Identifier: Apache-2.0
#include "plugins.h"

#include <fmt/format.h>
#include <map>

#include "config/lists.h"
#include "core/error.h"
#include "data/dataset.h"
#include "engines/plugin/load.h"

namespace spb::app {

KnownAlgorithms with_plugins(std::span<const Algorithm> algorithms, const std::string& files) {
  KnownAlgorithms known{{algorithms.begin(), algorithms.end()}, {}};
  if (files.empty()) return known;
  std::map<std::string, std::string> names;  // to files
  for (const std::string& file : config::split_list(files, "--plugin")) {
    const std::string sha256 = data::sha256_file(file);
    engines::Plugin plugin = engines::load_plugin(file);
    if (const auto [other, added] = names.emplace(plugin.name, file); !added)
      throw usage_error(
          "--plugin", fmt::format("{} and {} are both called {}", other->second, file, plugin.name),
          "give one of them another name");
    known.rows.insert(known.rows.end(), plugin.algorithms.begin(), plugin.algorithms.end());
    known.plugins += fmt::format("{}{} {} {}", known.plugins.empty() ? "" : ", ", plugin.name,
                                 plugin.version, sha256);
  }
  return known;
}

}  // namespace spb::app
