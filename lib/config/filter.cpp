// SPDX-License-Identifier: Apache-2.0
#include "config/filter.h"

#include <fmt/format.h>
#include <fnmatch.h>

#include "core/error.h"
#include "core/nearest.h"

namespace spb::config {

std::vector<CaseSpec> filter(const std::vector<CaseSpec>& cases, const std::string& glob) {
  std::vector<CaseSpec> matching;
  std::vector<std::string> ids;
  for (const CaseSpec& spec : cases) {
    ids.push_back(case_id(spec));
    if (fnmatch(glob.c_str(), ids.back().c_str(), 0) == 0) matching.push_back(spec);
  }
  if (matching.empty()) {
    std::string near = nearest_name(glob, ids);
    if (near.empty() && !ids.empty()) near = ids.front();
    throw Error(ExitCode::nothing,
                fmt::format("--filter: \"{}\" matches none of {} cases{}", glob, ids.size(),
                            near.empty() ? "" : "; a case is called " + near));
  }
  return matching;
}

}  // namespace spb::config
