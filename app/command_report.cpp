// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <filesystem>
#include <fmt/format.h>
#include <iterator>
#include <memory>
#include <set>
#include <span>
#include <string>
#include <vector>

#include "command.h"
#include "console.h"
#include "core/error.h"
#include "list_names.h"
#include "print_columns.h"
#include "report/page/page.h"
#include "report/plots/plots.h"
#include "report/records/append_file.h"
#include "report/records/csv.h"
#include "report/records/data_hashes.h"
#include "report/records/fields.h"
#include "report/records/file_lock.h"
#include "report/records/read_records.h"
#include "report/records/read_samples.h"
#include "report/summary/rank.h"
#include "report/summary/rows.h"
#include "report/summary/summary.h"
#include "report/summary/win_rates.h"
#include "runs_option.h"
#include "suite/checks.h"

namespace spb::app {
namespace {

struct ReportOptions {
  std::vector<std::string> inputs;
  std::string out;
  std::string runs;
  bool no_plots = false, win_rates = false;
};

report::RecordSet read_all(const std::vector<std::string>& inputs) {
  report::RecordSet all;
  for (const std::string& input : inputs) {
    report::RecordSet one = report::read_records(input);
    std::ranges::move(one.contexts, std::back_inserter(all.contexts));
    std::ranges::move(one.summaries, std::back_inserter(all.summaries));
    std::ranges::move(one.rows, std::back_inserter(all.rows));
    for (const std::string& note : one.notes) console().warning(note);
  }
  if (all.rows.empty())
    throw Error(ExitCode::nothing,
                fmt::format("{}: no rows, nothing to report", fmt::join(inputs, ", ")));
  return all;
}

/// All of a context, its run first: run_id and start are the same for devices of one run.
std::string context_text(const Record& context) {
  std::string text = context.text(columns::run_id) + context.text_of("start_utc");
  for (const auto& [name, value] : context.values()) text += name + report::to_text(value);
  return text;
}

/// A row read twice, from a folder named twice or from both files of a run, would count twice.
void drop_repeats(std::vector<Record>& rows) {
  std::set<std::string> seen;
  const size_t repeated = std::erase_if(rows, [&](const Record& row) {
    const std::string id = row.text(columns::case_id);
    const std::string key = report::sample_key(row) + "\n" + row.text(columns::gpu_name) +
                            row.text(columns::gpu_uuid) + "\n" + report::row_key(row);
    return !id.empty() && !seen.insert(key + "\n" + row.text(columns::timestamp_utc)).second;
  });
  if (repeated > 0)
    console().warning(fmt::format("{} rows are there twice: each counts once", repeated));
}

/// The name of a run's records in the folder, which then are what is reported; empty: none.
std::string records_in(const std::filesystem::path& folder) {
  std::error_code none;
  for (const char* name : {"records.jsonl", "records.jsonl.xz"})
    if (std::filesystem::exists(folder / name, none)) return name;
  return {};
}

/// The results.csv of a run must hold its rows alone.
void check_out(const ReportOptions& options) {
  std::error_code none;
  const std::filesystem::path out = options.out;
  if (records_in(out).empty()) return;
  for (const std::string& input : options.inputs)
    if (!std::filesystem::equivalent(input, out, none) &&
        !std::filesystem::equivalent(input, out / "records.jsonl", none) &&
        !std::filesystem::equivalent(input, out / "records.jsonl.xz", none) &&
        !std::filesystem::equivalent(input, out / "results.csv", none))
      throw usage_error("--out",
                        options.out + " is the folder of a run, and " + input + " another's",
                        "name a folder for both");
}

/// Held while the report is written: a run that goes on in the folder has its own results.csv
/// there.
std::unique_ptr<report::FileLock> locked(const std::filesystem::path& out) {
  constexpr double kLimitS = 1;
  if (records_in(out) != "records.jsonl") return nullptr;
  auto lock = std::make_unique<report::FileLock>(out / "records.jsonl", kLimitS);
  if (!lock->other().empty())
    throw usage_error("--out", fmt::format("{} is written by {}", out.string(), lock->other()),
                      "wait for its end, or name another folder");
  return lock;
}

/// Within a run they are refused.
void warn_of_versions(std::span<const Record> rows) {
  report::DataHashes hashes;
  std::set<std::string> told;
  for (const Record& row : rows)
    if (const std::string two = hashes.add(row);
        !two.empty() && told.insert(row.text(columns::dataset)).second)
      console().warning(two + ": their rows stand side by side");
}

ExitCode make_report(const ReportOptions& options, std::span<const Algorithm> algorithms) {
  const auto lock = locked(options.out);
  check_out(options);
  report::RecordSet records = read_all(options.inputs);
  drop_repeats(records.rows);
  warn_of_versions(records.rows);
  // The order of inputs must not matter.
  std::ranges::sort(records.contexts, {}, context_text);
  report::sort_rows(records.rows);
  report::fill_rank(records.rows);
  const report::CaseSet set =
      report::collect_cases(records.rows, list_names("algorithms", algorithms));
  const std::vector<int64_t> runs = runs_of(options.runs);

  if (options.win_rates) print_columns(report::win_rates(report::wins(records.rows)));
  const std::filesystem::path out = options.out;
  report::replace_text(out / "summary.md", report::summary(records, set, runs));
  report::write_csv(out / "results.csv", records.rows);
  std::vector<report::Plot> plots;
  if (!options.no_plots) plots = report::make_plots(set);
  const bool draw = !plots.empty() && report::has_gnuplot();
  if (draw) report::draw_plots(plots, out / "plots");
  const std::span<const report::Plot> drawn =
      draw ? std::span<const report::Plot>(plots) : std::span<const report::Plot>();
  report::replace_text(out / "report.html",
                       report::page(records, set, drawn, runs, records_in(out)));
  if (!draw && !plots.empty())
    throw input_error("plots", "gnuplot is not installed; all but the plots was written",
                      "apt-get install gnuplot-nox, or give --no-plots");
  console().note(fmt::format("{} rows: results.csv, summary.md, report.html, {} plots in {}",
                             records.rows.size(), plots.size(), out.string()));
  return ExitCode::ok;
}

}  // namespace

Action declare_report(CLI::App& app) {
  auto options = std::make_shared<ReportOptions>();
  app.add_option("RECORDS", options->inputs, "folders or files of run")->required();
  app.add_option("-o,--out", options->out, "folder for the report, made when missing")
      ->option_text("DIR")
      ->required();
  app.add_option("--runs", options->runs,
                 "say what to use where so many runs share maps and plan [1,4]")
      ->option_text("N,N")
      ->check(suite::layer_counts);
  app.add_flag("--no-plots", options->no_plots, "do without gnuplot");
  app.add_flag("--win-rates", options->win_rates,
               "print how often which algorithm was the fastest, by direction and size");
  return [options](std::span<const Algorithm> algorithms) {
    return make_report(*options, algorithms);
  };
}

}  // namespace spb::app
