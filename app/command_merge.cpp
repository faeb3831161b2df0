// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <string>
#include <vector>

#include "command.h"
#include "console.h"
#include "known_names.h"
#include "print_columns.h"
#include "report/compare/match.h"
#include "report/records/merge_shards.h"
#include "report/text/table.h"
#include "suite/exit_codes.h"

namespace spb::app {
namespace {

struct MergeOptions {
  std::string dir, out, allowed;
  bool partial = false;
};

constexpr double kLargestSpread = 0.03;
constexpr size_t kMostNamed = 10;  // of the cases that have not ended

/// A line for each shard that is there: what it has, and how fast its device is.
void print_shards(const report::ShardRuns& shards) {
  const std::vector<std::optional<double>> anchors_rel = report::anchors_rel(shards);
  Lines lines{{"shard", "device", "uuid", "cases", "rows", "anchor", "anchor_rel"}};
  for (size_t i = 0; i < shards.runs.size(); ++i) {
    const report::ShardRun& run = shards.runs[i];
    size_t rows = 0;
    for (const auto& [name, of_case] : run.cases) rows += of_case.size();
    const auto time_us = report::anchor_us(run);
    const Record& context = run.contexts.front();
    lines.push_back({to_text(run.shard), report::device_name(context),
                     context.text(columns::gpu_uuid), fmt::format("{}", run.cases.size()),
                     fmt::format("{}", rows), time_us ? report::time_text(*time_us) : "-",
                     time_us ? fmt::format("{:+.1f} %", 100 * *anchors_rel[i]) : "-"});
  }
  print_columns(lines);
}

void warn_of_gaps(const report::ShardRuns& shards) {
  for (const std::string& note : shards.notes) console().warning(note);
  for (const report::Shard& shard : shards.missing)
    console().warning(fmt::format(
        "shard {} is missing: {} cases", to_text(shard),
        std::ranges::count(shards.plan.cases, shard.index, &report::PlannedCase::shard)));
  for (const report::ShardRun& run : shards.runs) {
    std::vector<std::string> names;
    for (const report::PlannedCase& planned : shards.unended)
      if (planned.shard == run.shard.index) names.push_back(planned.name);
    for (size_t i = 0; i < std::min(names.size(), kMostNamed); ++i)
      console().warning(fmt::format("shard {} has not ended {}", to_text(run.shard), names[i]));
    if (names.size() > kMostNamed)
      console().warning(fmt::format("shard {} has not ended {} more cases", to_text(run.shard),
                                    names.size() - kMostNamed));
  }
}

void warn_of_spread(const report::ShardRuns& shards) {
  const auto largest = std::ranges::max(report::anchors_rel(shards));
  if (largest && *largest > kLargestSpread)
    console().warning(
        fmt::format("the anchor took {:.1f} % longer on one device than on another: times of "
                    "different shards may differ by as much for no other reason",
                    100 * *largest));
}

ExitCode merge(const MergeOptions& options) {
  const std::set<std::string> allowed =
      parse_names(options.allowed, report::shard_conditions(), "--allow-mismatch");
  const report::ShardRuns shards = report::read_shards(options.dir);
  report::check_alike(shards, allowed);
  warn_of_gaps(shards);
  if (const size_t gaps = shards.missing.size() + shards.unended.size();
      gaps > 0 && !options.partial)
    throw Error(ExitCode::nothing,
                fmt::format("{}: {} shards are missing and {} cases have not ended; run them with "
                            "--resume, or merge what is there with --partial",
                            options.dir, shards.missing.size(), shards.unended.size()));
  report::write_merged(options.out, shards);
  const std::vector<Record> rows = report::merged_rows(shards);
  print_shards(shards);
  warn_of_spread(shards);
  console().note(fmt::format("{} rows of {} shards: records.jsonl, results.csv in {}", rows.size(),
                             shards.runs.size(), options.out));
  ExitCode code = ExitCode::ok;
  for (const Record& row : rows) code = suite::worse(code, suite::code_of(row));
  return code;
}

}  // namespace

Action declare_merge(CLI::App& app) {
  auto options = std::make_shared<MergeOptions>();
  app.add_option("DIR", options->dir, "the --out of run --shard or verify --shard")->required();
  app.add_option("-o,--out", options->out, "folder for the merged records, made when missing")
      ->option_text("DIR")
      ->required();
  app.add_flag("--partial", options->partial,
               "merge what is there, although shards are missing or cases have not ended");
  app.add_option("--allow-mismatch", options->allowed,
                 fmt::format("merge although these differ: {}",
                             fmt::join(report::shard_conditions(), ", ")))
      ->option_text("LIST");
  return [options](std::span<const Algorithm>) { return merge(*options); };
}

}  // namespace spb::app
