// SPDX-License-Identifier: Apache-2.0
#include "suite/continued_run.h"

#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>
#include <vector>

#include "config/lists.h"
#include "core/nearest.h"
#include "report/records/retry.h"
#include "suite/load.h"

namespace spb::suite {
namespace {

/// Statuses that --retry names.
std::set<std::string> retried(const std::string& text) {
  if (text.empty()) return {};
  const std::vector<std::string> known(kStatusNames.begin(), kStatusNames.end());
  std::set<std::string> statuses;
  for (const std::string& word : config::split_list(text, "--retry")) {
    if (std::ranges::find(known, word) == known.end())
      throw usage_error("--retry", unknown_name(word, known));
    statuses.insert(word);
  }
  return statuses;
}

}  // namespace

report::EarlierRun earlier_run(const SuiteRunOptions& options, const PlannedCases& plan,
                               Record& columns, Log& log) {
  columns[columns::config_hash] = plan.config_hash;
  if (!options.resume) return {};
  const report::DataHash hash_of = [&](const std::string& dataset) {
    const auto found = std::ranges::find(plan.cases, dataset, [](const config::CaseSpec& spec) {
      return record_name(spec.dataset);
    });
    return found == plan.cases.end() ? "" : data_sha256(found->dataset);
  };
  report::EarlierRun earlier = report::reopen_run(options.out, columns, hash_of);
  if (const std::set<std::string> statuses = retried(options.retry);
      !statuses.empty() && !earlier.run_id.empty()) {
    const auto copy = report::drop_cases(options.out, columns.text(columns::gpu_uuid), statuses);
    if (!copy.empty()) log.note("--retry: the rows until now are kept in " + copy.string());
    earlier = report::reopen_run(options.out, columns);
  }
  if (!earlier.run_id.empty()) columns[columns::run_id] = earlier.run_id;
  log.note(
      fmt::format("resuming: {} of {} cases are there", earlier.cases.size(), plan.cases.size()));
  return earlier;
}

}  // namespace spb::suite
