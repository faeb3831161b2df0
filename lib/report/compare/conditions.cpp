// SPDX-License-Identifier: Apache-2.0
#include "report/compare/conditions.h"

#include <array>

#include "report/compare/match.h"
#include "report/records/fields.h"

namespace spb::report {
namespace {

const std::array kConditions = {
    Condition{"gpu",
              {columns::gpu_name, columns::backend, columns::gpu_arch},
              "device; brings its driver and clocks"},
    Condition{"driver", {columns::driver_version}, "version of the device's driver"},
    Condition{"data",
              {columns::map_hash, columns::n_in, columns::n_out, columns::n_pairs},
              "voxels and their map"},
    Condition{"fill", {columns::fill}, "numbers that are multiplied"},
    Condition{"clock_policy", {columns::clock_policy}, "free or locked clocks"},
    Condition{
        "timing_method", {columns::timing_method, columns::cache_method}, "how time is taken"},
};

/// What differs with the device anyway needs no leave of its own.
bool is_implied(std::string_view name, const Record& base, const Record& next) {
  if (name == "driver" || name == "clock_policy") return device_name(base) != device_name(next);
  return name == "timing_method" && is_host(base) != is_host(next);
}

}  // namespace

std::span<const Condition> conditions() { return kConditions; }

std::vector<Difference> differences(const Record& base, const Record& next,
                                    const std::set<std::string>& allowed) {
  std::vector<Difference> found;
  for (const Condition& condition : conditions()) {
    if (allowed.contains(condition.name)) continue;
    if (allowed.contains("gpu") && is_implied(condition.name, base, next)) continue;
    for (const ColumnName column : condition.columns) {
      const std::string before = to_text(base.value(column)), after = to_text(next.value(column));
      // What one side did not record cannot be held against the other.
      if (before.empty() || after.empty() || before == after) continue;
      found.push_back({condition.name, before + " / " + after});
      break;
    }
  }
  return found;
}

}  // namespace spb::report
