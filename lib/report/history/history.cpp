// SPDX-License-Identifier: Apache-2.0
#include "report/history/history.h"

#include <algorithm>
#include <fmt/format.h>
#include <map>
#include <utility>

#include "core/error.h"
#include "core/paths.h"
#include "report/compare/conditions.h"
#include "report/compare/match.h"
#include "report/records/read_records.h"
#include "report/summary/rows.h"

namespace spb::report {
namespace {

namespace fs = std::filesystem;

/// A run while it is gathered.
struct ReadRun {
  HistoryRun run;
  std::vector<Record> rows;
};

/// What holds records: the folder itself, else each folder in it.
std::vector<fs::path> sources(const fs::path& folder) {
  if (!is_folder(folder))
    throw input_error(folder.string(), is_there(folder) ? "is no folder" : "does not exist",
                      "name a folder with the folders of runs in it");
  for (const char* file : {"records.jsonl", "records.jsonl.xz", "results.csv", "results.csv.xz"})
    if (is_there(folder / file)) return {folder};
  return folders_of(folder);
}

/// A folder of something else is told, not fatal: results lie beside pages and logs.
std::optional<RecordSet> read_source(const fs::path& source, std::vector<std::string>& notes) {
  if (files_of_records(source).empty()) {
    notes.push_back(fmt::format("left out: {}: holds no records", source.string()));
    return std::nullopt;
  }
  try {
    return read_records(source);
  } catch (const Error& error) {
    if (error.code() != ExitCode::usage) throw;
    notes.push_back(std::string("left out: ") + error.what());
    return std::nullopt;
  }
}

HistoryRun run_of(const Record& row, const fs::path& source) {
  return {.folder = source.filename().string(),
          .run_id = row.text(columns::run_id),
          .timestamp = row.text(columns::timestamp_utc),
          .commit = row.text(columns::git_sha).substr(0, 7),
          .version = row.text(columns::tool_version)};
}

void add_rows(std::vector<ReadRun>& runs, RecordSet set, const fs::path& source,
              const std::function<bool(const Record&)>& wanted, std::vector<std::string>& notes) {
  std::map<std::string, size_t> of_source;  // by run_id: a folder may hold several runs
  for (Record& row : set.rows) {
    const std::string id = row.text(columns::run_id);
    const auto [place, is_new] = of_source.try_emplace(id, runs.size());
    if (is_new) {
      const auto same = [&](const ReadRun& one) { return !id.empty() && one.run.run_id == id; };
      if (const auto twice = std::ranges::find_if(runs, same); twice != runs.end())
        notes.push_back(fmt::format("left out: {} holds run {} again, as {} does",
                                    source.filename().string(), id, twice->run.folder));
      runs.push_back({run_of(row, source), {}});
    }
    if (wanted(row)) runs[place->second].rows.push_back(std::move(row));
  }
  for (std::string& note : set.notes) notes.push_back(std::move(note));
}

void keep_first_of_each(std::vector<ReadRun>& runs) {
  std::vector<ReadRun> kept;
  for (ReadRun& one : runs) {
    const auto same = [&](const ReadRun& other) {
      return !one.run.run_id.empty() && other.run.run_id == one.run.run_id;
    };
    if (std::ranges::none_of(kept, same)) kept.push_back(std::move(one));
  }
  runs = std::move(kept);
}

bool is_changed(const HistoryPoint& before, const HistoryPoint& after, double threshold) {
  const double most = 1 + threshold;
  if (*after.ratio <= most && *after.ratio >= 1 / most) return false;
  if (!before.lo_us || !before.hi_us || !after.lo_us || !after.hi_us) return false;
  return *before.hi_us < *after.lo_us || *after.hi_us < *before.lo_us;
}

HistoryPoint point_of(const Record& row) {
  HistoryPoint point;
  point.status = row.text(columns::status);
  if (!is_good(row)) return point;
  point.time_us = row.number(columns::time_median_us);
  point.lo_us = row.number(columns::time_ci95_lo_us);
  point.hi_us = row.number(columns::time_ci95_hi_us);
  return point;
}

/// Fills in what `after` is beside the last time before it.
void add_step(const HistoryPoint& before, const Record& row_before, HistoryPoint& after,
              const Record& row_after, double threshold) {
  after.ratio = *after.time_us / *before.time_us;
  const std::vector<Difference> differing = differences(row_before, row_after, {});
  after.step = is_changed(before, after, threshold) ? Step::changed : Step::same;
  if (differing.empty()) return;
  after.step = Step::not_comparable;
  after.differing = fmt::format("{} ({})", differing.front().condition, differing.front().values);
}

HistoryLine line_of(const std::vector<const Record*>& rows, double threshold) {
  HistoryLine line;
  const Record* last = nullptr;
  size_t last_index = 0;
  for (const Record* row : rows) {
    HistoryPoint point = row ? point_of(*row) : HistoryPoint();
    if (point.time_us) {
      if (last) add_step(line.points[last_index], *last, point, *row, threshold);
      last = row;
      last_index = line.points.size();
    }
    line.points.push_back(std::move(point));
  }
  return line;
}

}  // namespace

const char* name(Step step) {
  constexpr const char* kNames[] = {"first", "same", "changed", "not_comparable"};
  return kNames[static_cast<int>(step)];
}

bool HistoryLine::has(Step step) const {
  return std::ranges::any_of(points, [&](const HistoryPoint& point) {
    return !point.status.empty() && point.step == step;
  });
}

History read_history(const fs::path& folder, const HistoryOptions& options) {
  History history;
  std::vector<ReadRun> runs;
  for (const fs::path& source : sources(folder))
    if (auto set = read_source(source, history.notes))
      add_rows(runs, std::move(*set), source, options.wanted, history.notes);
  if (runs.empty())
    throw input_error(folder.string(), "holds no records",
                      "name a folder with the folders of runs in it");
  keep_first_of_each(runs);
  std::ranges::stable_sort(
      runs, {}, [](const ReadRun& one) { return std::pair(one.run.timestamp, one.run.run_id); });
  if (runs.size() > options.last) {
    history.notes.push_back(
        fmt::format("{} earlier runs are not shown: see --last", runs.size() - options.last));
    runs.erase(runs.begin(), runs.end() - static_cast<ptrdiff_t>(options.last));
  }

  // By device and key, in the order in which reports have rows.
  std::vector<Record> order;
  std::map<std::string, std::vector<const Record*>> lines;
  const auto key = [](const Record& row) { return device_name(row) + "\n" + row_key(row); };
  for (size_t i = 0; i < runs.size(); ++i) {
    history.runs.push_back(runs[i].run);
    for (const Record& row : runs[i].rows) {
      auto& line = lines[key(row)];
      if (line.empty()) order.push_back(row);
      line.resize(runs.size());
      line[i] = &row;  // a row that is there twice: the last one counts
    }
  }
  sort_rows(order);
  std::ranges::stable_sort(order, {}, [](const Record& row) {
    return std::pair(is_host(row), device_name(row));  // GPUs first
  });
  for (const Record& row : order) {
    HistoryLine& line = history.lines.emplace_back(line_of(lines[key(row)], options.threshold));
    line.device = device_name(row);
    line.name = row.text(columns::case_id);
    line.algorithm = row.text(columns::algorithm);
  }
  return history;
}

}  // namespace spb::report
