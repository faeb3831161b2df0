#include "suite/continued_run.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <set>
#include <string>
#include <vector>

#include "config/config_hash.h"
#include "config/lists.h"
#include "core/nearest.h"
#include "report/records/retry.h"

namespace spb::suite {
namespace {

std::map<std::string, std::string> hashed_options(const SuiteRunOptions& options) {
  const auto text = [](auto value) { return fmt::format("{}", value); };
  return {{"columns", options.cases.reading.columns ? text(*options.cases.reading.columns) : ""},
          {"axes", options.cases.reading.axes},
          {"merge", text(options.cases.reading.merge)},
          {"verify_exact", text(options.run.verify_exact)},
          {"verify_fp", text(options.run.verify_fp)},
          {"verify_macs", text(options.run.verify_macs)},
          {"time", text(options.run.time)},
          {"time_anyway", text(options.run.time_anyway)},
          {"max_time_s", text(options.run.max_time_s)},
          {"min_samples", text(options.run.min_samples)},
          {"settle_s", text(options.run.settle_s)},
          {"rest_rel", text(options.run.rest_rel)},
          {"rounds", text(options.run.rounds)},
          {"lock_clocks", options.lock_clocks},
          {"rerun_suspects", text(options.rerun_suspects)},
          {"llc_bytes", text(options.run.llc_bytes)},
          {"kernel", options.kernel},
          {"kernel_arch", text(options.kernel_arch)},
          {"tile_order", options.tile_order},
          {"reduction", options.reduction},
          {"tuning", options.tuning}};
}

/// Statuses that --retry names.
std::set<std::string> retried(const std::string& text) {
  if (text.empty()) return {};
  const std::vector<std::string> known{"ok",         "throttled",   "incorrect",
                                       "mistrusted", "unsupported", "skipped",
                                       "oom",        "error",       "timeout"};
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
  columns["config_hash"] = config::config_hash(plan.cases, hashed_options(options));
  if (!options.resume) return {};
  report::EarlierRun earlier = report::reopen_run(options.out, columns);
  if (const std::set<std::string> statuses = retried(options.retry);
      !statuses.empty() && !earlier.run_id.empty()) {
    const auto copy = report::drop_cases(options.out, columns.text("gpu_uuid"), statuses);
    if (!copy.empty()) log.note("--retry: the rows until now are kept in " + copy.string());
    earlier = report::reopen_run(options.out, columns);
  }
  if (!earlier.run_id.empty()) columns["run_id"] = earlier.run_id;
  log.note(
      fmt::format("resuming: {} of {} cases are there", earlier.cases.size(), plan.cases.size()));
  return earlier;
}

}  // namespace spb::suite
