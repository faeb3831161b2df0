// SPDX-License-Identifier: Apache-2.0
#include "known_names.h"

#include <algorithm>
#include <fmt/format.h>

#include "config/lists.h"
#include "core/error.h"
#include "core/nearest.h"

namespace spb::app {

std::set<std::string> parse_names(const std::string& list, const std::vector<std::string>& known,
                                  const char* where) {
  std::set<std::string> names;
  if (list.empty()) return names;
  for (const std::string& word : config::split_list(list, where)) {
    if (std::ranges::find(known, word) == known.end())
      throw usage_error(where, unknown_name(word, known),
                        fmt::format("known are {}", fmt::join(known, ", ")));
    names.insert(word);
  }
  return names;
}

}  // namespace spb::app
