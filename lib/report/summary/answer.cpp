// SPDX-License-Identifier: Apache-2.0
#include "report/summary/answer.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <iterator>
#include <map>

#include "report/summary/rows.h"
#include "report/summary/totals.h"
#include "report/text/table_layout.h"

namespace spb::report {
namespace {

/// What a total is made of.
std::string parts_text(int64_t runs) {
  return runs == kManyRuns ? "a run" : "maps, plan and " + runs_text(runs);
}

std::string sureness(const Winner& winner) {
  return winner.sure ? "sure: their intervals do not meet" : "not sure: their intervals meet";
}

/// Who takes the lead with more runs.
std::string later_leads(const Cell& cell, int64_t runs) {
  std::string text;
  const std::vector<Lead> leads = leads_of(cell, runs);
  for (size_t i = 1; i < leads.size(); ++i)
    text += fmt::format("; from {} on {}", runs_text(leads[i].runs), leads[i].best->algorithm);
  return text;
}

/// The settings that ran: what the choice of a plan came to.
std::string settings_text(const Record& row) {
  const std::string params = row.text(columns::algorithm_params);
  return fmt::format("kernel {}{}{}", row.text(columns::kernel), params.empty() ? "" : " ", params);
}

std::vector<std::string> lines_of_cell(const Cell& cell, int64_t runs) {
  const auto winner = winner_of(cell, runs);
  if (!winner) return {};
  const Total total = total_of(*winner->best, runs);
  std::string line =
      fmt::format("{}: {} for {}", winner->best->algorithm, time_text(total.us), parts_text(runs));
  if (winner->next)
    line += fmt::format(", {} times as fast as {} ({})", three_digits(winner->ratio),
                        winner->next->algorithm, sureness(*winner));
  std::vector<std::string> lines{line + later_leads(cell, runs)};
  lines.push_back("settings: " + settings_text(*winner->best->main));
  if (const std::string repro = winner->best->main->text(columns::repro); !repro.empty())
    lines.push_back("repeat: " + repro);
  return lines;
}

/// "at 4 runs a plan: masked_implicit_gemm in 7 of 9, gather_scatter in 2; 1.31 times as fast as
/// the next (geometric mean), sure in 8". Empty where nothing has such a total.
std::string line_of_cells(std::span<const Cell> cells, int64_t runs) {
  std::map<std::string, int> wins;
  int known = 0, sure = 0, compared = 0;
  double log_sum = 0;
  for (const Cell& cell : cells) {
    const auto winner = winner_of(cell, runs);
    if (!winner) continue;
    ++known;
    ++wins[winner->best->algorithm];
    if (!winner->next) continue;
    ++compared;
    sure += winner->sure;
    log_sum += std::log(winner->ratio);
  }
  if (known == 0) return {};
  std::vector<std::pair<std::string, int>> order(wins.begin(), wins.end());
  std::ranges::stable_sort(order, std::ranges::greater(),
                           [](const auto& win) { return win.second; });
  std::string line = fmt::format("at {} a plan: ", runs_text(runs));
  for (size_t i = 0; i < order.size(); ++i)
    line += i == 0 ? fmt::format("{} in {} of {}", order[i].first, order[i].second, known)
                   : fmt::format(", {} in {}", order[i].first, order[i].second);
  if (compared > 0)
    line += fmt::format("; {} times as fast as the next (geometric mean), sure in {}",
                        three_digits(std::exp(log_sum / compared)), sure);
  return line;
}

/// Empty where most times are steady.
std::string noise_line(const DeviceCases& device) {
  int64_t noisy = 0, timed = 0;
  for (const Case& one : device.cases) {
    if (!one.ranked) continue;
    ++timed;
    noisy += number_of(*one.main, columns::noise_rel) > kNoisyAbove;
  }
  if (2 * noisy <= timed) return {};
  return fmt::format(
      "noisy machine: {} of {} times spread by more than {:.0f} % (IQR); take close "
      "ones for equal, or measure longer (--rounds, --max-time)",
      noisy, timed, 100 * kNoisyAbove);
}

}  // namespace

std::string runs_text(int64_t runs) {
  if (runs == kManyRuns) return "many runs";
  return runs == 1 ? "1 run" : fmt::format("{} runs", runs);
}

std::vector<std::string> answer_lines(const DeviceCases& device, std::span<const int64_t> runs) {
  const std::vector<Cell> cells = cells_of(device);
  std::vector<std::string> lines;
  if (std::string noise = noise_line(device); !noise.empty()) lines.push_back(std::move(noise));
  if (cells.size() == 1 && !runs.empty()) {
    std::ranges::move(lines_of_cell(cells.front(), runs.front()), std::back_inserter(lines));
    return lines;
  }
  for (const int64_t count : with_many(runs))
    if (std::string line = line_of_cells(cells, count); !line.empty())
      lines.push_back(std::move(line));
  return lines;
}

SummaryTable totals_table(const CaseSet& set, const DeviceCases& device,
                          std::span<const int64_t> runs) {
  const TimeUnit unit = time_unit(device);
  SummaryTable table;
  table.title = "What to use, by how many runs share a plan";
  for (const char* header : {"workload", "dtype", "direction"}) table.add_column(header);
  for (const int64_t count : with_many(runs)) {
    table.add_column(runs_text(count));
    table.add_column(fmt::format("{} [{}]", count == kManyRuns ? device.cache : "total", unit.name),
                     true);
    table.add_column("next / it", true);
  }
  table.add_column("from run", true);
  for (const Cell& cell : cells_of(device)) {
    if (!winner_of(cell, kManyRuns)) continue;
    std::vector<SummaryCell> line{
        {set.workloads[cell.front()->workload]}, {cell.front()->dtype}, {cell.front()->direction}};
    for (const int64_t count : with_many(runs)) {
      const auto winner = winner_of(cell, count);
      line.push_back({winner ? winner->best->algorithm : ""});
      line.push_back(
          {winner ? three_digits(total_of(*winner->best, count).us / unit.factor_us) : ""});
      const bool compared = winner && winner->next;
      line.push_back(
          {compared ? three_digits(winner->ratio) + (winner->sure ? "" : " ?") : std::string()});
    }
    const auto from = break_even_runs(cell);
    line.push_back({from ? fmt::format("{}", *from) : ""});
    table.cells.push_back(std::move(line));
  }
  return table;
}

}  // namespace spb::report
