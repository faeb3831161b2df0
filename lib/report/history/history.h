// SPDX-License-Identifier: Apache-2.0
// The runs below a folder over time: each row of the records in each of them.
#pragma once

#include <filesystem>
#include <functional>
#include <optional>
#include <string>
#include <vector>

#include "core/record.h"

namespace spb::report {

struct HistoryRun {
  std::string folder;  ///< below the folder that was named, or a file in it
  std::string run_id;
  std::string timestamp;  ///< of its first row, RFC 3339
  std::string commit;     ///< of the build, seven digits
  std::string version;    ///< of the program
};

/// What a time is beside the one before it.
enum class Step {
  first,           ///< there is none before it
  same,            ///< neither of the next two
  changed,         ///< the two intervals do not meet, and the ratio is beyond the threshold
  not_comparable,  ///< driver, data, fill, clocks or timing method differ
};
const char* name(Step step);

/// A row in one run.
struct HistoryPoint {
  std::string status;             ///< empty: the run does not have the row
  std::optional<double> time_us;  ///< median, of what is ok or throttled
  std::optional<double> lo_us, hi_us;
  std::optional<double> ratio;  ///< over the time before it: above 1 is slower
  Step step = Step::first;
  std::string differing;  ///< "driver (570 / 580)", where not comparable
};

/// One row of the records on one device.
struct HistoryLine {
  std::string device, name, algorithm;
  std::vector<HistoryPoint> points;  ///< one for each run

  bool has(Step step) const;
};

struct History {
  std::vector<HistoryRun> runs;  ///< the earliest first
  std::vector<HistoryLine> lines;
  std::vector<std::string> notes;  ///< one line each: what was left out
};

struct HistoryOptions {
  std::function<bool(const Record&)> wanted;  ///< chooses rows
  size_t last = 6;                            ///< so many of the latest runs
  double threshold = 0;                       ///< of the ratio: smaller changes are none
};

/// Reads the folder's own records, or those of each folder in it. Throws Error (usage) when there
/// is no such folder or it holds no records, and as read_records() does.
History read_history(const std::filesystem::path& folder, const HistoryOptions& options);

}  // namespace spb::report
