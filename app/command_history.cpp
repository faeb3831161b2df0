// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "case_options.h"
#include "command.h"
#include "config/quantity.h"
#include "console.h"
#include "list_names.h"
#include "report/history/writers.h"
#include "report/records/append_file.h"
#include "report/text/table.h"
#include "row_filter.h"
#include "suite/checks.h"

namespace spb::app {
namespace {

struct HistoryWords {
  std::string folder, filter, csv, plots, threshold = "0%";
  bool changed = false;
  report::HistoryOptions history;
  ConsoleOptions console;
};

void print_tables(const report::History& history, bool changed) {
  for (const report::HistoryRun& run : history.runs)
    fmt::print("{} {}  spconv-bench {}, {} {}\n", run.timestamp, run.commit, run.version,
               run.folder, run.run_id);
  for (const report::TableLayout& table : report::history_tables(history, changed))
    fmt::print("\n{}", report::draw_table(table, console().colors_output()));
}

void draw(const report::History& history, const std::string& folder,
          const std::vector<std::string>& known) {
  std::vector<report::Plot> plots = report::history_plots(history, known);
  if (plots.empty())
    throw Error(ExitCode::nothing, "--plots: no row is timed in each of two runs or more");
  report::draw_plots(plots, folder);
  console().note(fmt::format("{} plots in {}", plots.size(), folder));
}

ExitCode show_history(const HistoryWords& options, std::span<const Algorithm> algorithms) {
  options.console.apply();
  report::HistoryOptions choice = options.history;
  choice.threshold = config::parse_percent(options.threshold, "--threshold");
  choice.wanted = [&](const Record& row) { return is_wanted(options.filter, row); };
  const report::History history = report::read_history(options.folder, choice);
  for (const std::string& note : history.notes) console().warning(note);
  if (history.lines.empty())
    throw Error(ExitCode::nothing,
                fmt::format("{} has no row{}", options.folder,
                            options.filter.empty() ? "" : " that --filter lets through"));
  if (options.csv == "-")
    fmt::print("{}", report::history_csv(history));
  else
    print_tables(history, options.changed);
  if (!options.csv.empty() && options.csv != "-") {
    report::replace_text(options.csv, report::history_csv(history));
    console().note("wrote " + options.csv);
  }
  if (!options.plots.empty()) draw(history, options.plots, list_names("algorithms", algorithms));
  return ExitCode::ok;
}

}  // namespace

Action declare_history(CLI::App& app) {
  auto options = std::make_shared<HistoryWords>();
  app.add_option("DIR", options->folder, "folder with the folders of runs in it")->required();
  app.add_option("--filter", options->filter, "only rows whose name matches, as in '*/kernel/*'")
      ->option_text("GLOB");
  app.add_option("--last", options->history.last, "so many of the latest runs")
      ->option_text("N")
      ->capture_default_str()
      ->check(suite::whole_between(1, 1000));
  app.add_option("--threshold", options->threshold, "smaller changes are not marked")
      ->capture_default_str()
      ->option_text("SHARE");
  app.add_flag("--changed", options->changed, "only rows with a marked change");
  app.add_option("--csv", options->csv, "write all rows to a file, or - for stdout")
      ->option_text("FILE");
  app.add_option("--plots", options->plots,
                 "draw the change of each algorithm into this folder, by gnuplot")
      ->option_text("DIR");
  add_console_options(app, options->console);
  return [options](std::span<const Algorithm> algorithms) {
    return show_history(*options, algorithms);
  };
}

}  // namespace spb::app
