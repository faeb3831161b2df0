// SPDX-License-Identifier: Apache-2.0
#include "compare_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <set>
#include <string>
#include <vector>

#include "config/lists.h"
#include "config/quantity.h"
#include "core/error.h"
#include "known_names.h"
#include "report/compare/conditions.h"
#include "suite/checks.h"

namespace spb::app {
namespace {

constexpr double kMicrosecond = 1e-6;  // a bare number of --floor

std::string not_empty(const std::string& text) { return text.empty() ? "needs a name" : ""; }

std::vector<std::string> condition_names() {
  std::vector<std::string> names;
  for (const report::Condition& condition : report::conditions())
    names.emplace_back(condition.name);
  return names;
}

}  // namespace

report::CompareOptions compare_options(const CompareWords& options) {
  report::CompareOptions parsed = options.compare;
  parsed.threshold = config::parse_percent(options.threshold, "--threshold");
  parsed.floor_us = 1e6 * config::parse_time_s(options.floor, "--floor", kMicrosecond);
  parsed.chain_floor_us =
      1e6 * config::parse_time_s(options.chain_floor, "--chain-floor", kMicrosecond);
  parsed.memory_threshold = config::parse_percent(options.memory_threshold, "--memory-threshold");
  if (!options.process_drift.empty())
    parsed.process_drift = config::parse_percent(options.process_drift, "--process-drift");
  parsed.allowed = parse_names(options.allowed, condition_names(), "--allow-mismatch");
  return parsed;
}

report::Gate gate(const CompareWords& options) {
  report::Gate gate{parse_names(options.fail_on, report::gate_names(), "--fail-on")};
  if (options.strict) gate.fail_on.insert({"missing", "not_comparable"});
  return gate;
}

void add_compare_options(CLI::App& app, CompareWords& options) {
  app.add_option("BASE", options.base, "folder of run --out, records.jsonl or results.csv")
      ->required();
  app.add_option("NEW", options.next, "the same of what is judged; the only one with --baseline");
  app.add_option("RUN", options.run, "with --ab, behind --: run and its options");
  auto* ab =
      app.add_flag(
             "--ab", options.ab,
             "BASE and NEW are programs: run both in turns, A B B A, and compare what they write")
          ->group("Interleaving");
  auto* baseline =
      app.add_option("--baseline", options.baseline, "BASE is what was kept under this name")
          ->option_text("NAME")
          ->check(not_empty)
          ->excludes(ab)
          ->group("Named baselines");
  app.add_option("--save-baseline", options.saved,
                 "compare nothing: keep the run under this name, in place of the one before")
      ->option_text("NAME")
      ->check(not_empty)
      ->excludes(ab)
      ->excludes(baseline)
      ->group("Named baselines");
  app.add_option("--baselines", options.baselines,
                 fmt::format("folder of named baselines [{}]", report::kBaselines))
      ->option_text("DIR")
      ->check(not_empty)
      ->group("Named baselines");
  app.add_option("--pairs", options.pairs, "runs of each program")
      ->capture_default_str()
      ->option_text("N")
      ->check(suite::above_zero)
      ->needs("--ab")
      ->group("Interleaving");
  app.add_option("--out", options.out, "folder for the records of --ab [results/ab-RUN_ID]")
      ->option_text("DIR")
      ->needs("--ab")
      ->group("Interleaving");
  app.add_option("--timeout", options.timeout, "end a run of --ab after this time, 90s or 10m")
      ->capture_default_str()
      ->option_text("TIME")
      ->check(suite::duration)
      ->needs("--ab")
      ->group("Interleaving");
  app.add_option("--filter", options.filter, "only rows whose name matches, as in '*/kernel/*'")
      ->option_text("GLOB")
      ->group("Rows");
  app.add_option(
         "--allow-mismatch", options.allowed,
         fmt::format("compare although these differ: {}", fmt::join(condition_names(), ", ")))
      ->option_text("LIST")
      ->group("Rows");
  app.add_option("--reference", options.compare.reference,
                 "algorithm of speedups, shown when devices differ [the first of list algorithms]")
      ->option_text("NAME")
      ->check(not_empty)
      ->group("Rows");
  app.add_option("--threshold", options.threshold, "ratio of medians that still counts as same")
      ->capture_default_str()
      ->option_text("SHARE")
      ->group("Gate");
  app.add_option("--floor", options.floor, "difference of medians that never counts")
      ->capture_default_str()
      ->option_text("TIME")
      ->group("Gate");
  app.add_option("--chain-floor", options.chain_floor,
                 "the same of a GPU's map_build, plan and end_to_end, whose many launches take "
                 "longer in one process than in the next")
      ->capture_default_str()
      ->option_text("TIME")
      ->group("Gate");
  app.add_option("--process-drift", options.process_drift,
                 "by how much times of one process differ from the next, all alike: standard "
                 "deviation, widens intervals [measured where a side has several processes]")
      ->option_text("SHARE")
      ->check(not_empty)
      ->group("Gate");
  app.add_option("--memory-threshold", options.memory_threshold, "growth of bytes that is allowed")
      ->capture_default_str()
      ->option_text("SHARE")
      ->group("Gate");
  app.add_option("--fail-on", options.fail_on,
                 fmt::format("what fails, of {}; incorrect always does [{}]",
                             fmt::join(report::gate_names(), ", "), kFailOn))
      ->option_text("LIST")
      ->group("Gate");
  app.add_flag("--strict", options.strict, "fail on missing and not_comparable too")->group("Gate");
  app.add_option("--seed", options.compare.bootstrap.seed, "of the bootstrap's resamples [0]")
      ->option_text("N")
      ->group("Gate");
  app.add_flag("--all", options.all, "show rows without a change too")->group("Output");
  app.add_option("--json", options.json, "write everything to a file, or - for stdout")
      ->option_text("FILE")
      ->group("Output");
  app.add_option("--md", options.markdown, "write a summary for a pull request")
      ->option_text("FILE")
      ->group("Output");
  app.add_option("--junit", options.junit, "write test results for a CI service")
      ->option_text("FILE")
      ->group("Output");
  add_console_options(app, options.console);
}

}  // namespace spb::app
