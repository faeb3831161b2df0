// SPDX-License-Identifier: Apache-2.0
// Two runs side by side: what became slower, larger or wrong.
#pragma once

#include <filesystem>
#include <map>
#include <optional>
#include <set>
#include <string>
#include <vector>

#include "core/record.h"
#include "report/compare/bootstrap.h"
#include "report/compare/process_drift.h"
#include "report/records/read_records.h"

namespace spb::report {

/// What became of a row from BASE to NEW.
enum class Change {
  slower,          ///< the ratio is above 1 + threshold by its interval, and for all rows together
  faster,          ///< ... below 1 / (1 + threshold)
  same,            ///< the interval is between these, or the difference at most the floor
  inconclusive,    ///< none of these: measure longer
  incorrect,       ///< ok in BASE or not there, now proven wrong or mistrusted
  error,           ///< ok in BASE or not there, now out of memory, crashed or out of time
  fixed,           ///< the reverse of these two
  failing,         ///< not ok on both sides
  missing,         ///< only in BASE, or not supported any more
  added,           ///< only in NEW
  not_comparable,  ///< measured differently: another device, other data ...
  relative,        ///< a GPU's row and the host's: only what is relative to their own device
};
inline constexpr int kChanges = 12;
const char* name(Change change);  ///< as above; "new" for added

/// One row in which both sides agree on all key columns but `backend`, or a case that failed.
struct ComparedRow {
  const Record* base = nullptr;
  const Record* next = nullptr;  ///< one of the two may be missing
  Change change = Change::same;
  std::string detail;           ///< one line: why, where the numbers do not say it
  std::optional<double> ratio;  ///< of medians, NEW / BASE: above 1 is slower
  /// 95 %, of this ratio alone; drift between processes has widened it where it is known.
  std::optional<Interval> interval;
  bool resampled = false;   ///< from both sides' samples; else from the medians' intervals, wider
  std::optional<double> p;  ///< Mann-Whitney over round medians, adjusted for all rows
  /// How probable a ratio so far beyond the threshold is where the truth is within it, adjusted for
  /// all rows: slower and faster need 5 %.
  std::optional<double> p_beyond;
  std::optional<double> base_speedup, next_speedup;  ///< over the reference on the same device

  const Record& either() const { return next ? *next : *base; }
};

/// A count of bytes that differs between the sides of one case.
struct MemoryChange {
  std::string case_name;
  const char* column;
  int64_t base = 0, next = 0;
  bool worse = false;  ///< grown by more than the threshold
};

/// One device of BASE and one of NEW.
struct DeviceComparison {
  std::string base_name, next_name;  ///< "NVIDIA H200", "AMD EPYC (host)"
  bool same_device = true;
  bool relative = false;  ///< a GPU and the host: absolute times must not stand side by side
  ProcessDrift drift;
  std::vector<ComparedRow> rows;
  std::vector<MemoryChange> memory;
  bool judges_times() const;  ///< of any row
};

struct Comparison {
  std::vector<DeviceComparison> devices;
  std::vector<std::string> notes;  ///< one line each
  int64_t matched = 0;             ///< rows on both sides
  int64_t judged = 0;              ///< those whose times can be slower: what p_beyond allows for
  /// Conditions that made rows not comparable, with the values of the first one: "driver" ->
  /// "570 / 580".
  std::map<std::string, std::string> differing;
  int64_t count(Change change) const;
  int64_t count_worse_memory() const;
  int64_t compared() const;  ///< rows with a verdict on both sides
};

struct CompareOptions {
  double threshold = 0.03;  ///< of the ratio
  double floor_us = 1;      ///< smaller differences do not count
  /// The same of map_build, plan and end_to_end on a GPU: chains of up to some twenty launches,
  /// which it fetches from the host's memory. On an H200, 81 launches took 11 us more in one
  /// process than in the next: 0.14 us each.
  double chain_floor_us = 3;
  double memory_threshold = 0;          ///< of bytes
  std::optional<double> process_drift;  ///< ProcessDrift::deviation, where it is stated
  std::string reference;                ///< of speedups
  std::set<std::string>
      allowed;  ///< names of conditions() that may differ, see compare_conditions.h
  BootstrapOptions bootstrap;
};

/// One side: its rows, and samples by sample_key() where there are any.
struct Side {
  std::string path;  ///< as the user named it
  RecordSet records;
  std::map<std::string, Rounds> samples;
  /// Where merge_runs() has made runs one, what each measured, by device_name().
  std::map<std::string, std::vector<ProcessTimes>> processes;
};

/// Throws as read_records and read_samples do.
Side read_side(const std::filesystem::path& path);

/// Matches rows by key, each device of `next` with the same one of `base`, or with its only one.
/// Where a side repeats a row, the last counts. The result points into the sides.
Comparison compare(const Side& base, const Side& next, const CompareOptions& options);

}  // namespace spb::report
