// SPDX-License-Identifier: Apache-2.0
// --runs of run and report: how many runs share a plan.
#pragma once

#include <cstdint>
#include <iterator>
#include <string>
#include <vector>

#include "config/lists.h"
#include "report/summary/answer.h"

namespace spb::app {

/// The list of the option; report::kUsualRuns where it is not given.
inline std::vector<int64_t> runs_of(const std::string& text) {
  if (text.empty()) return {std::begin(report::kUsualRuns), std::end(report::kUsualRuns)};
  const std::vector<int> runs = config::parse_integers(text, "--runs");
  return {runs.begin(), runs.end()};
}

}  // namespace spb::app
