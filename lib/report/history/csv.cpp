// SPDX-License-Identifier: Apache-2.0
#include "report/records/csv.h"

#include "report/history/writers.h"
#include "report/records/fields.h"

namespace spb::report {
namespace {

std::string number(const std::optional<double>& value) {
  return value ? to_text(Value(*value)) : std::string();
}

}  // namespace

std::string history_csv(const History& history) {
  std::string text =
      "device,row,folder,run_id,timestamp_utc,tool_version,git_sha,status,time_median_us,"
      "time_ci95_lo_us,time_ci95_hi_us,ratio,step,differing\n";
  for (const HistoryLine& line : history.lines)
    for (size_t i = 0; i < history.runs.size(); ++i) {
      const HistoryRun& run = history.runs[i];
      const HistoryPoint& point = line.points[i];
      if (point.status.empty()) continue;
      const std::string cells[] = {line.device,         line.name,           run.folder,
                                   run.run_id,          run.timestamp,       run.version,
                                   run.commit,          point.status,        number(point.time_us),
                                   number(point.lo_us), number(point.hi_us), number(point.ratio),
                                   name(point.step),    point.differing};
      for (const std::string& cell : cells)
        text.append(&cell == cells ? "" : ",").append(csv_cell(cell));
      text += '\n';
    }
  return text;
}

}  // namespace spb::report
