// SPDX-License-Identifier: Apache-2.0
// The tables of summary.md and report.html, before either draws them.
#pragma once

#include <string>
#include <vector>

#include "report/records/read_records.h"
#include "report/summary/cases.h"

namespace spb::report {

/// noise_rel from which a time is marked as noisy.
inline constexpr double kNoisyAbove = 0.05;

struct SummaryCell {
  std::string text;
  bool strong = false;  ///< the fastest verified; its text has a * too
};

struct SummaryTable {
  std::string title;
  std::vector<std::string> headers;  ///< with units
  std::vector<bool> numeric;         ///< per column: align right
  std::vector<std::vector<SummaryCell>> cells;

  void add_column(const std::string& header, bool is_numeric = false);
};

/// Remarks that cells refer to by number: why a case has no time, what fell back.
class Footnotes {
 public:
  /// " [3]" for a remark, the same for equal ones; nothing for an empty one.
  std::string mark(const std::string& remark);
  const std::vector<std::string>& remarks() const { return remarks_; }

 private:
  std::vector<std::string> remarks_;
};

/// A time unit that keeps all times of a device short.
struct TimeUnit {
  double factor_us;
  const char* name;
};
TimeUnit time_unit(const DeviceCases& device);

/// A unit that keeps the rates of these cases short.
struct RateUnit {
  double gflops;
  const char* name;
};
RateUnit rate_unit(const Cell& cases);

/// "pass" and the like for a measured case, else its status.
std::string verdict_text(const Case& one);

/// A row per run: device, driver, tool, commit, start, rows.
SummaryTable runs_table(const RecordSet& records);

/// A row per device: how many cases ended how.
SummaryTable verdict_table(const CaseSet& set);

/// A row per cell with a verified time: the fastest kernel, the next one, the baseline.
SummaryTable fastest_table(const CaseSet& set, const DeviceCases& device);

/// Ranked times, a table per direction: a row per dtype and workload, a column per algorithm.
std::vector<SummaryTable> time_tables(const CaseSet& set, const DeviceCases& device,
                                      Footnotes& footnotes);

/// What the marks in the times of all these tables mean, only those that occur; then the footnotes.
std::vector<std::string> mark_notes(const CaseSet& set, const Footnotes& footnotes);

}  // namespace spb::report
