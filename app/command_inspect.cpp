// SPDX-License-Identifier: Apache-2.0
#include <CLI/CLI.hpp>
#include <algorithm>
#include <fmt/format.h>
#include <memory>
#include <numeric>
#include <string>
#include <vector>

#include "case_options.h"
#include "command.h"
#include "config/lists.h"
#include "console.h"
#include "core/one_line.h"
#include "print_columns.h"
#include "report/text/table_layout.h"
#include "run/inspect.h"
#include "run/work.h"
#include "suite/checks.h"
#include "suite/load.h"

namespace spb::app {
namespace {

using config::CaseSpec;

struct InspectOptions {
  suite::CaseOptions cases;
  ConsoleOptions console;
  std::string tile_heights = "32,64,128,256";
  std::string segments;
  int64_t window = maps::kWindow;
};

void print_data(const suite::LoadedVoxels& loaded) {
  const VoxelSet& voxels = loaded.voxels;
  const data::VoxelizeReport& report = loaded.report;
  fmt::print("{}: {} voxels", one_line(loaded.name), voxels.size());
  if (loaded.format != "generator")
    fmt::print(" from {} {} ({}), {} not finite, {}{} merged", report.points,
               report.was_coords ? "coords" : "points", loaded.format, report.dropped,
               report.outside > 0 ? fmt::format("{} outside of the range, ", report.outside) : "",
               report.merged);
  fmt::print("\nbox {} from {},{},{}, {} batch{}\n\n", to_text(voxels.box.shape), voxels.origin[0],
             voxels.origin[1], voxels.origin[2], voxels.box.batch_size,
             voxels.box.batch_size == 1 ? "" : "es");
}

void print_counts(const run::Inspection& found) {
  print_columns({{"n_in", fmt::format("{}", found.n_in)},
                 {"n_out", fmt::format("{}", found.n_out)},
                 {"inputs without outputs", fmt::format("{}", found.unread)},
                 {"n_pairs", fmt::format("{}", found.n_pairs)},
                 {"pairs per output voxel", fmt::format("{:.3f}", found.pairs_per_voxel)},
                 {"occupancy of the box", fmt::format("{:.3g}", found.occupancy)},
                 {"distinct neighbor masks", fmt::format("{}", found.distinct_masks)},
                 {"rows whose mirrored mask occurs", fmt::format("{}", found.mirrored)},
                 {"isolated voxels", fmt::format("{}", found.isolated)}});
}

/// At most 28 lines: larger kernels are shown in ranges.
void print_histogram(const run::Inspection& found) {
  constexpr size_t kLines = 28, kBar = 40;
  const std::vector<int64_t>& rows = found.neighbor_histogram;
  if (rows.empty() || found.n_out == 0) return;
  const size_t step = (rows.size() + kLines - 1) / kLines;
  std::vector<int64_t> sums;
  for (size_t begin = 0; begin < rows.size(); begin += step)
    sums.push_back(std::accumulate(
        rows.begin() + static_cast<ptrdiff_t>(begin),
        rows.begin() + static_cast<ptrdiff_t>(std::min(begin + step, rows.size())), int64_t{0}));
  const int64_t largest = *std::ranges::max_element(sums);
  Lines lines{{"pairs", "output voxels", "share", ""}};
  for (size_t i = 0; i < sums.size(); ++i) {
    if (sums[i] == 0) continue;
    const size_t first = i * step, last = std::min(first + step, rows.size()) - 1;
    lines.push_back(
        {first == last ? fmt::format("{}", first) : fmt::format("{}-{}", first, last),
         fmt::format("{}", sums[i]),
         fmt::format("{:.1f} %",
                     100.0 * static_cast<double>(sums[i]) / static_cast<double>(found.n_out)),
         std::string(kBar * static_cast<size_t>(sums[i]) / static_cast<size_t>(largest), '#')});
  }
  fmt::print("\nNeighbors\n");
  print_columns(lines);
}

/// Rows are orders and segments, columns tile heights.
void print_tilings(const run::Inspection& found, std::string (*cell)(const run::Redundancy&)) {
  Lines lines{{"order", "segments"}};
  for (const run::Redundancy& entry : found.redundancy) {
    const std::string segments = fmt::format("{}", entry.segments);
    if (lines.size() == 1 || lines.back()[0] != entry.order || lines.back()[1] != segments)
      lines.push_back({entry.order, segments});
    if (lines.size() == 2) lines.front().push_back(fmt::format("{} rows", entry.tile_rows));
    lines.back().push_back(cell(entry));
  }
  print_columns(lines);
}

void print_redundancy(const run::Inspection& found) {
  fmt::print("\nLocations: {} valid, {} dense; executed by row order, segments and tile height\n",
             found.n_pairs, found.n_out * found.kernel_volume);
  print_tilings(found, [](const run::Redundancy& one) { return fmt::format("{}", one.executed); });
  fmt::print("\nRedundancy: executed / valid\n");
  print_tilings(found, [](const run::Redundancy& one) { return fmt::format("{:.3f}", one.value); });
}

void print_work(std::span<const CaseSpec> specs, const run::Inspection& found) {
  Lines lines{{"channels", "dtype", "useful MACs", "compulsory bytes", "FLOP/byte"}};
  for (const CaseSpec& spec : specs) {
    const Problem& problem = spec.problem;
    const double macs = run::useful_macs(problem, found.n_pairs);
    const double bytes = run::compulsory_bytes(problem, found.n_in, found.n_out, found.n_pairs);
    lines.push_back({channels_text(problem.c_in, problem.c_out, problem.groups),
                     info(problem.dtype).name, fmt::format("{:.4g}", macs),
                     report::bytes_text(static_cast<int64_t>(bytes)),
                     fmt::format("{:.1f}", bytes > 0 ? 2 * macs / bytes : 0)});
  }
  fmt::print("\nWork\n");
  print_columns(lines);
}

/// `specs` differ in channels and dtype only.
void print_geometry(std::span<const CaseSpec> specs, const VoxelSet& voxels,
                    const run::Tilings& tilings) {
  const Problem& problem = specs.front().problem;
  const ConvGeometry& geometry = problem.geometry;
  const run::Inspection found = run::inspect(voxels, problem, tilings);
  fmt::print("{} convolution, kernel size {}, stride {}, dilation {}", name(geometry.kind),
             to_text(geometry.kernel_size), to_text(geometry.stride), to_text(geometry.dilation));
  if (geometry.padding) fmt::print(", padding {}", to_text(*geometry.padding));
  if (geometry.kind != ConvKind::subm)
    fmt::print(", outputs {}, extent {}", name(geometry.output_rule), name(geometry.output_extent));
  fmt::print("\n");
  print_counts(found);
  print_histogram(found);
  print_redundancy(found);
  print_work(specs, found);
}

ExitCode inspect(const InspectOptions& options) {
  options.console.apply();
  const run::Tilings tilings{config::parse_integers(options.tile_heights, "--tile-heights"),
                             options.segments.empty()
                                 ? std::vector<int>()
                                 : config::parse_integers(options.segments, "--segments"),
                             options.window};
  const std::vector<std::string> no_algorithm{"none"};
  std::vector<CaseSpec> specs = suite::plan_cases(options.cases, no_algorithm);
  // Geometry is the same for all directions.
  std::erase_if(specs,
                [](const CaseSpec& spec) { return spec.problem.direction != Direction::fprop; });
  std::string data_id;
  suite::LoadedVoxels loaded;
  for (size_t begin = 0, end; begin < specs.size(); begin = end) {
    const CaseSpec& first = specs[begin];
    if (begin > 0) fmt::print("\n");
    if (config::data_id(first) != data_id) {
      data_id = config::data_id(first);
      loaded = suite::load_voxels(first, options.cases.reading, console());
      print_data(loaded);
    }
    for (end = begin; end < specs.size() && config::data_id(specs[end]) == data_id &&
                      specs[end].problem.geometry == first.problem.geometry;)
      ++end;
    print_geometry(std::span(specs).subspan(begin, end - begin), loaded.voxels, tilings);
  }
  return ExitCode::ok;
}

}  // namespace

Action declare_inspect(CLI::App& app) {
  auto options = std::make_shared<InspectOptions>();
  add_case_options(app, options->cases, CaseScope::shapes);
  app.add_option("--tile-heights", options->tile_heights,
                 "rows per tile of the tables of locations and redundancy")
      ->capture_default_str()
      ->option_text("ROWS,..")
      ->group("Statistics");
  app.add_option("--segments", options->segments,
                 "segments of the offsets, each with an order of its own (spconv's split masks: 2) "
                 "[1,2,3]")
      ->option_text("N,..")
      ->group("Statistics");
  app.add_option("--window", options->window,
                 fmt::format("rows per window of the windowed gray order [{}]", maps::kWindow))
      ->option_text("ROWS")
      ->check(suite::above_zero)
      ->group("Statistics");
  add_console_options(app, options->console);
  return [options](std::span<const Algorithm>) { return inspect(*options); };
}

}  // namespace spb::app
