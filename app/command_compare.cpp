// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <fnmatch.h>
#include <memory>
#include <set>
#include <string>
#include <utility>
#include <vector>

#include "case_options.h"
#include "command.h"
#include "config/lists.h"
#include "config/quantity.h"
#include "console.h"
#include "core/nearest.h"
#include "report/compare/conditions.h"
#include "report/compare/tables.h"
#include "report/compare/writers.h"
#include "report/records/append_file.h"
#include "suite/checks.h"
#include "suite/environment.h"
#include "suite/interleaved_runs.h"

namespace spb::app {
namespace {

constexpr double kMicrosecond = 1e-6;  // a bare number of --floor

struct Options {
  std::string base, next, filter;
  std::string threshold = "3%", floor = "1us", chain_floor = "3us", memory_threshold = "0%";
  std::string fail_on = "slower,incorrect,error,memory", allowed;
  std::string json, markdown, junit, out;
  std::vector<std::string> run;
  int pairs = 2;
  bool strict = false, all = false, ab = false;
  report::CompareOptions compare;
  ConsoleOptions console;
};

/// The names in a list, each of which must be known.
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

std::vector<std::string> condition_names() {
  std::vector<std::string> names;
  for (const report::Condition& condition : report::conditions())
    names.emplace_back(condition.name);
  return names;
}

report::CompareOptions compare_options(const Options& options) {
  report::CompareOptions parsed = options.compare;
  parsed.threshold = config::parse_percent(options.threshold, "--threshold");
  parsed.floor_us = 1e6 * config::parse_time_s(options.floor, "--floor", kMicrosecond);
  parsed.chain_floor_us =
      1e6 * config::parse_time_s(options.chain_floor, "--chain-floor", kMicrosecond);
  parsed.memory_threshold = config::parse_percent(options.memory_threshold, "--memory-threshold");
  parsed.allowed = parse_names(options.allowed, condition_names(), "--allow-mismatch");
  return parsed;
}

report::Gate gate(const Options& options) {
  report::Gate gate{parse_names(options.fail_on, report::gate_names(), "--fail-on")};
  if (options.strict) gate.fail_on.insert({"missing", "not_comparable"});
  return gate;
}

std::pair<report::Side, report::Side> read(const Options& options) {
  if (!options.ab && options.run.empty())
    return {report::read_side(options.base), report::read_side(options.next)};
  if (!options.ab) throw usage_error(options.run.front(), "is one argument too many");
  if (options.run.empty() || options.run.front() != "run")
    throw usage_error("--ab", "needs what both programs run",
                      "as in compare --ab OLD NEW -- run DATA");
  const std::string out = options.out.empty() ? "results/ab-" + suite::new_run_id() : options.out;
  return suite::run_interleaved(options.base, options.next, options.run, options.pairs, out,
                                console());
}

/// A case that failed has one row without a phase, which stands for the rows of all of them.
bool matches(const std::string& filter, const Record& row) {
  constexpr const char* kPhases[] = {"/kernel/cold", "/kernel/hot", "/plan", "/map_build",
                                     "/end_to_end"};
  const auto match = [&](const std::string& id) {
    return fnmatch(filter.c_str(), id.c_str(), 0) == 0;
  };
  const std::string id = row.text(columns::case_id);
  if (match(id)) return true;
  return row.text(columns::phase).empty() &&
         std::ranges::any_of(kPhases, [&](const char* phase) { return match(id + phase); });
}

/// Drops the rows that the filter does not match.
void apply(const std::string& filter, report::Side& side) {
  if (filter.empty()) return;
  std::erase_if(side.records.rows, [&](const Record& row) { return !matches(filter, row); });
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
std::string nothing_compared(const report::Comparison& comparison, const Options& options) {
  if (comparison.matched == 0)
    return fmt::format("{} and {} have no row in common{}", options.base, options.next,
                       options.filter.empty() ? "" : " that --filter lets through");
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

ExitCode compare(const Options& options, std::span<const Algorithm> algorithms) {
  options.console.apply();
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
  if (code == ExitCode::nothing) throw Error(code, nothing_compared(comparison, options));
  if (!taken) fmt::print("{}", report::compare_text(report, console().colors_output()));
  if (const int64_t count = comparison.count(report::Change::inconclusive); count > 0)
    console().warning(
        fmt::format("{} rows are inconclusive: measure longer, in more rounds", count));
  if (code != ExitCode::ok)
    console().error("the gate fails: " + report::failures(comparison, fails));
  return code;
}

}  // namespace

Action declare_compare(CLI::App& app) {
  auto options = std::make_shared<Options>();
  app.add_option("BASE", options->base, "folder of run --out, records.jsonl or results.csv")
      ->required();
  app.add_option("NEW", options->next, "the same of what is judged")->required();
  app.add_option("RUN", options->run, "with --ab, behind --: run and its options");
  app.add_flag("--ab", options->ab,
               "BASE and NEW are programs: run both in turns, A B B A, and compare what they write")
      ->group("Interleaving");
  app.add_option("--pairs", options->pairs, "runs of each program")
      ->capture_default_str()
      ->option_text("N")
      ->check(suite::above_zero)
      ->needs("--ab")
      ->group("Interleaving");
  app.add_option("--out", options->out, "folder for the records of --ab [results/ab-RUN_ID]")
      ->option_text("DIR")
      ->needs("--ab")
      ->group("Interleaving");
  app.add_option("--filter", options->filter, "only rows whose name matches, as in '*/kernel/*'")
      ->option_text("GLOB")
      ->group("Rows");
  app.add_option(
         "--allow-mismatch", options->allowed,
         fmt::format("compare although these differ: {}", fmt::join(condition_names(), ", ")))
      ->option_text("LIST")
      ->group("Rows");
  app.add_option("--reference", options->compare.reference,
                 "algorithm of speedups, shown when devices differ [the first of list algorithms]")
      ->option_text("NAME")
      ->check([](const std::string& name) { return name.empty() ? "needs a name" : ""; })
      ->group("Rows");
  app.add_option("--threshold", options->threshold, "ratio of medians that still counts as same")
      ->capture_default_str()
      ->option_text("SHARE")
      ->group("Gate");
  app.add_option("--floor", options->floor, "difference of medians that never counts")
      ->capture_default_str()
      ->option_text("TIME")
      ->group("Gate");
  app.add_option("--chain-floor", options->chain_floor,
                 "the same of a GPU's map_build, plan and end_to_end, whose many launches take "
                 "longer in one process than in the next")
      ->capture_default_str()
      ->option_text("TIME")
      ->group("Gate");
  app.add_option("--memory-threshold", options->memory_threshold, "growth of bytes that is allowed")
      ->capture_default_str()
      ->option_text("SHARE")
      ->group("Gate");
  app.add_option("--fail-on", options->fail_on,
                 fmt::format("what fails, of {}; incorrect always does [slower,incorrect,error,"
                             "memory]",
                             fmt::join(report::gate_names(), ", ")))
      ->option_text("LIST")
      ->group("Gate");
  app.add_flag("--strict", options->strict, "fail on missing and not_comparable too")
      ->group("Gate");
  app.add_option("--seed", options->compare.bootstrap.seed, "of the bootstrap's resamples [0]")
      ->option_text("N")
      ->group("Gate");
  app.add_flag("--all", options->all, "show rows without a change too")->group("Output");
  app.add_option("--json", options->json, "write everything to a file, or - for stdout")
      ->option_text("FILE")
      ->group("Output");
  app.add_option("--md", options->markdown, "write a summary for a pull request")
      ->option_text("FILE")
      ->group("Output");
  app.add_option("--junit", options->junit, "write test results for a CI service")
      ->option_text("FILE")
      ->group("Output");
  add_console_options(app, options->console);
  return [options](std::span<const Algorithm> algorithms) { return compare(*options, algorithms); };
}

}  // namespace spb::app
