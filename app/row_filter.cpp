// SPDX-License-Identifier: Apache-2.0
#include "row_filter.h"

#include <algorithm>
#include <fnmatch.h>
#include <vector>

#include "core/columns.h"
#include "core/status.h"
#include "suite/checks.h"

namespace spb::app {
namespace {

/// What the names of a case's rows have behind the case's own.
std::vector<std::string> row_endings() {
  std::vector<std::string> endings;
  for (const char* phase : kPhaseNames) {
    const std::string ending = std::string("/") + phase;
    if (parse_phase(phase) == Phase::kernel) {
      for (const std::string cache : kCacheNames)
        if (!cache.empty()) endings.push_back(ending + "/" + cache);
    } else if (parse_phase(phase) == Phase::step) {
      for (int layers = 1; layers <= suite::kMostStepLayers; ++layers)
        endings.push_back(ending + "/" + std::to_string(layers));
    } else {
      endings.push_back(ending);
    }
  }
  return endings;
}

}  // namespace

bool is_wanted(const std::string& filter, const Record& row) {
  static const std::vector<std::string> kEndings = row_endings();
  const auto match = [&](const std::string& id) {
    return fnmatch(filter.c_str(), id.c_str(), 0) == 0;
  };
  const std::string id = row.text(columns::case_id);
  if (filter.empty() || match(id)) return true;
  return row.text(columns::phase).empty() &&
         std::ranges::any_of(kEndings,
                             [&](const std::string& ending) { return match(id + ending); });
}

}  // namespace spb::app
