// SPDX-License-Identifier: Apache-2.0
#include "row_filter.h"

#include <algorithm>
#include <fnmatch.h>

#include "core/columns.h"

namespace spb::app {

bool is_wanted(const std::string& filter, const Record& row) {
  constexpr const char* kPhases[] = {"/kernel/cold", "/kernel/hot", "/plan", "/map_build",
                                     "/end_to_end"};
  const auto match = [&](const std::string& id) {
    return fnmatch(filter.c_str(), id.c_str(), 0) == 0;
  };
  const std::string id = row.text(columns::case_id);
  if (filter.empty() || match(id)) return true;
  return row.text(columns::phase).empty() &&
         std::ranges::any_of(kPhases, [&](const char* phase) { return match(id + phase); });
}

}  // namespace spb::app
