// SPDX-License-Identifier: Apache-2.0
#include "report/summary/differences.h"

#include <algorithm>
#include <cmath>
#include <fmt/format.h>
#include <map>
#include <optional>
#include <tuple>

#include "report/summary/answer.h"
#include "report/summary/totals.h"
#include "report/text/table_layout.h"

namespace spb::report {
namespace {

constexpr const char* kOtherMark = " ≠";

/// A cell of the first GPU with the winners on all of them: nothing where one has none.
struct Compared {
  const Case* first;
  std::vector<std::optional<Winner>> winners;

  bool differs(size_t gpu) const {
    return winners[gpu] && winners[gpu]->best->algorithm != winners[0]->best->algorithm;
  }
  /// Of the totals, to the first GPU's; NaN where there is none.
  double ratio(size_t gpu, int64_t runs) const {
    if (!winners[gpu]) return NAN;
    return total_of(*winners[gpu]->best, runs).us / total_of(*winners[0]->best, runs).us;
  }
};

auto place_of(const Cell& cell) {
  const Case& one = *cell.front();
  return std::tie(one.workload, one.dtype, one.direction);
}

std::vector<Compared> compare_cells(std::span<const DeviceCases* const> gpus, int64_t runs) {
  std::vector<std::vector<Cell>> cells;
  for (const DeviceCases* gpu : gpus) cells.push_back(cells_of(*gpu));
  std::vector<Compared> all;
  for (const Cell& cell : cells.front()) {
    Compared compared{cell.front(), {winner_of(cell, runs)}};
    if (!compared.winners[0]) continue;
    for (size_t gpu = 1; gpu < gpus.size(); ++gpu) {
      const auto other = std::ranges::find(cells[gpu], place_of(cell), place_of);
      compared.winners.push_back(other == cells[gpu].end() ? std::nullopt
                                                           : winner_of(*other, runs));
    }
    const auto known = [](const auto& winner) { return winner.has_value(); };
    if (std::ranges::count_if(compared.winners, known) > 1) all.push_back(std::move(compared));
  }
  return all;
}

/// Ranked times of the GPU by cell and algorithm.
std::map<std::string, double> ranked_times(const DeviceCases& device,
                                           const std::string& algorithm) {
  std::map<std::string, double> times;
  for (const Case& one : device.cases)
    if (one.ranked && one.algorithm == algorithm)
      times[fmt::format("{} {} {} {}", one.workload, one.direction, one.dtype, device.cache)] =
          time_us(one);
  return times;
}

/// "1.23 (14)": geometric mean and number of common cells; empty when there is none.
std::string mean_ratio(const std::map<std::string, double>& base,
                       const std::map<std::string, double>& other) {
  double sum = 0;
  int count = 0;
  for (const auto& [cell, time] : base)
    if (const auto found = other.find(cell); found != other.end()) {
      sum += std::log(time / found->second);
      ++count;
    }
  return count ? fmt::format("{} ({})", three_digits(std::exp(sum / count)), count) : "";
}

}  // namespace

std::vector<std::string> difference_lines(const CaseSet& set, std::span<const int64_t> runs) {
  const std::vector<const DeviceCases*> gpus = gpus_of(set);
  std::vector<std::string> lines;
  for (size_t gpu = 1; gpu < gpus.size(); ++gpu)
    for (const int64_t count : with_many(runs)) {
      int cells = 0, others = 0;
      double log_sum = 0;
      for (const Compared& compared : compare_cells(gpus, count)) {
        const double ratio = compared.ratio(gpu, count);
        if (std::isnan(ratio)) continue;
        ++cells;
        others += compared.differs(gpu);
        log_sum += std::log(ratio);
      }
      if (cells == 0) continue;
      lines.push_back(fmt::format(
          "at {} a plan: {} takes {} times as long as {} (geometric mean of {} cells, each with "
          "its own winner); another algorithm wins in {} of {}",
          runs_text(count), gpus[gpu]->title(), three_digits(std::exp(log_sum / cells)),
          gpus[0]->title(), cells, others, cells));
    }
  return lines;
}

SummaryTable differences_table(const CaseSet& set, int64_t runs) {
  const std::vector<const DeviceCases*> gpus = gpus_of(set);
  SummaryTable table;
  if (gpus.size() < 2) return table;
  const TimeUnit unit = time_unit(*gpus.front());
  const std::string time =
      runs == kManyRuns ? gpus.front()->cache + " run" : "total of " + runs_text(runs);
  table.title = "Winners at " + runs_text(runs) + " a plan";
  for (const char* header : {"workload", "dtype", "direction"}) table.add_column(header);
  for (size_t gpu = 0; gpu < gpus.size(); ++gpu) {
    table.add_column(gpus[gpu]->title());
    table.add_column(fmt::format("{} [{}]", time, unit.name), true);
    if (gpu > 0) table.add_column("/ " + gpus.front()->name, true);
  }
  for (const Compared& compared : compare_cells(gpus, runs)) {
    std::vector<SummaryCell> line{{set.workloads[compared.first->workload]},
                                  {compared.first->dtype},
                                  {compared.first->direction}};
    for (size_t gpu = 0; gpu < gpus.size(); ++gpu) {
      const auto& winner = compared.winners[gpu];
      const bool differs = compared.differs(gpu);
      line.push_back(
          {winner ? winner->best->algorithm + (differs ? kOtherMark : "") : "", differs});
      line.push_back(
          {winner ? three_digits(total_of(*winner->best, runs).us / unit.factor_us) : ""});
      if (gpu > 0) line.push_back({winner ? three_digits(compared.ratio(gpu, runs)) : ""});
    }
    table.cells.push_back(std::move(line));
  }
  return table;
}

SummaryTable devices_table(const CaseSet& set) {
  SummaryTable table;
  const std::vector<const DeviceCases*> gpus = gpus_of(set);
  if (gpus.size() < 2) return table;
  const DeviceCases& base = *gpus.front();
  table.title = "Speed against " + base.title() + ", geometric mean (number of cells)";
  table.add_column("algorithm");
  for (const DeviceCases* device : gpus)
    if (device != &base) table.add_column(device->title(), true);
  for (const std::string& algorithm : set.algorithms) {
    std::vector<SummaryCell> line{{algorithm}};
    for (const DeviceCases* device : gpus)
      if (device != &base)
        line.push_back(
            {mean_ratio(ranked_times(base, algorithm), ranked_times(*device, algorithm))});
    table.cells.push_back(std::move(line));
  }
  return table;
}

}  // namespace spb::report
