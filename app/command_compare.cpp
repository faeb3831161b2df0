// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <utility>
#include <vector>

#include "command.h"
#include "compare_options.h"
#include "config/quantity.h"
#include "console.h"
#include "core/error.h"
#include "core/nearest.h"
#include "report/compare/tables.h"
#include "report/compare/writers.h"
#include "report/records/append_file.h"
#include "report/records/baselines.h"
#include "row_filter.h"
#include "suite/environment.h"
#include "suite/interleaved_runs.h"

namespace spb::app {
namespace {

/// With a named baseline, or one to be saved, the only argument is the run.
void check_arguments(const CompareWords& options) {
  const bool is_named = !options.baseline.empty() || !options.saved.empty();
  if (is_named && !options.next.empty())
    throw usage_error(options.next, "is one argument too many",
                      "with --baseline and --save-baseline name one run");
  if (!is_named && options.next.empty())
    throw Error(ExitCode::usage, "NEW is required; see spconv-bench compare --help");
  if (!options.ab && !options.run.empty())
    throw usage_error(options.run.front(), "is one argument too many");
}

std::pair<report::Side, report::Side> read(const CompareWords& options) {
  if (!options.baseline.empty())
    return {report::read_side(report::find_baseline(options.baselines, options.baseline)),
            report::read_side(options.base)};
  if (!options.ab) return {report::read_side(options.base), report::read_side(options.next)};
  if (options.run.empty() || options.run.front() != "run")
    throw usage_error("--ab", "needs what both programs run",
                      "as in compare --ab OLD NEW -- run DATA");
  const std::string out = options.out.empty() ? "results/ab-" + suite::new_run_id() : options.out;
  return suite::run_interleaved(options.base, options.next, options.run, options.pairs, out,
                                config::parse_time_s(options.timeout, "--timeout"), console());
}

/// Drops the rows that the filter does not match.
void apply(const std::string& filter, report::Side& side) {
  std::erase_if(side.records.rows, [&](const Record& row) { return !is_wanted(filter, row); });
}

/// A reference that nobody ran would leave its columns empty without a word.
void check_reference(const std::string& reference, const report::Side& base) {
  std::vector<std::string> names;
  for (const Record& row : base.records.rows)
    if (std::ranges::find(names, row.text(columns::algorithm)) == names.end())
      names.push_back(row.text(columns::algorithm));
  if (std::ranges::find(names, reference) == names.end())
    throw usage_error("--reference", unknown_name(reference, names),
                      fmt::format("BASE has {}", fmt::join(names, ", ")));
}

void write(const std::string& path, const std::string& text) {
  if (path.empty()) return;
  if (path == "-") {
    fmt::print("{}", text);
    return;
  }
  report::replace_text(path, text);
  console().note("wrote " + path);
}

/// Why nothing was compared, and what to do about it.
std::string nothing_compared(const report::Comparison& comparison, const report::Side& base,
                             const report::Side& next, const std::string& filter) {
  if (comparison.matched == 0)
    return fmt::format("{} and {} have no row in common{}", base.path, next.path,
                       filter.empty() ? "" : " that --filter lets through");
  std::string names;
  const bool is_relative =
      std::ranges::any_of(comparison.devices, &report::DeviceComparison::relative);
  const bool other_device = comparison.differing.contains("gpu");
  for (const auto& [name, values] : comparison.differing) {
    const bool comes_with_it = other_device && (name == "driver" || name == "clock_policy" ||
                                                (name == "timing_method" && is_relative));
    if (!comes_with_it) names += (names.empty() ? "" : ",") + name;
  }
  return fmt::format("nothing is comparable: {} differs; --allow-mismatch {} compares anyway",
                     report::differing_text(comparison), names);
}

ExitCode compare(const CompareWords& options, std::span<const Algorithm> algorithms) {
  options.console.apply();
  check_arguments(options);
  if (!options.saved.empty()) {
    const auto kept = report::save_baseline(options.baselines, options.saved, options.base);
    console().note("kept as baseline " + options.saved + " in " + kept.string());
    return ExitCode::ok;
  }
  report::CompareOptions compare_with = compare_options(options);
  const report::Gate fails = gate(options);
  auto [base, next] = read(options);
  apply(options.filter, base);
  apply(options.filter, next);
  if (compare_with.reference.empty())
    compare_with.reference = algorithms.front().name;
  else
    check_reference(compare_with.reference, base);
  const report::Comparison comparison = report::compare(base, next, compare_with);
  const report::CompareReport report{comparison, base, next, compare_with, fails, options.all};
  const ExitCode code = report::exit_code(comparison, fails);

  write(options.json, report::compare_json(report));
  write(options.markdown, report::compare_markdown(report));
  write(options.junit, report::compare_junit(report));
  const bool taken = options.json == "-" || options.markdown == "-" || options.junit == "-";
  if (code == ExitCode::nothing)
    throw Error(code, nothing_compared(comparison, base, next, options.filter));
  if (!taken) fmt::print("{}", report::compare_text(report, console().colors_output()));
  const bool accepted = !fails.fails(report::Change::inconclusive);
  if (const int64_t count = comparison.count(report::Change::inconclusive); accepted && count > 0)
    console().warning(
        fmt::format("{} rows are inconclusive: measure longer, in more rounds", count));
  if (code == ExitCode::inconclusive)
    console().error(report::gate_text(comparison, fails) +
                    "; measure longer, in more rounds, or leave inconclusive out of --fail-on");
  else if (code != ExitCode::ok)
    console().error(report::gate_text(comparison, fails));
  return code;
}

}  // namespace

Action declare_compare(CLI::App& app) {
  const auto options = std::make_shared<CompareWords>();
  add_compare_options(app, *options);
  return [options](std::span<const Algorithm> algorithms) { return compare(*options, algorithms); };
}

}  // namespace spb::app
