// SPDX-License-Identifier: Apache-2.0
// Rows gathered to cases: what the summary, the plots and the page are made of.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "core/record.h"
#include "report/summary/rows.h"

namespace spb::report {

/// One algorithm on one workload, dtype and direction: its rows of all phases.
struct Case {
  size_t workload = 0;  ///< index into CaseSet::workloads
  std::string dtype;    ///< arithmetic_class where it says more
  std::string direction, algorithm;
  /// By "cold", "hot" (both of the kernel phase), "map_build", "plan", "end_to_end"; by "" the row
  /// of a case that has no time.
  std::map<std::string, const Record*> rows;
  const Record* main = nullptr;  ///< the kernel row that is ranked, else one that says why none is
  bool ranked = false;           ///< proven right and timed
  bool fastest = false;          ///< among the ranked of its cell
  double speedup = 0;            ///< over the baseline in its cell, 0 where it has no time

  /// A number of the phase's row, NaN when there is none.
  template <typename Type>
  double number(const std::string& phase, const Column<Type>& column) const {
    const Record* found = row(phase);
    return found ? number_of(*found, column) : NAN;
  }
  const Record* row(const std::string& phase) const;  ///< null when there is none
};

/// The cases of one device.
struct DeviceCases {
  std::string name;     ///< "NVIDIA H200"; on host the processor
  std::string backend;  ///< cuda, hip, host
  std::string cache;    ///< what is ranked: "cold", or "hot" where nothing cold was measured
  std::vector<Case> cases;

  bool is_host() const { return backend == "host"; }
  std::string title() const { return name + " (" + backend + ")"; }
};

/// Cases that compete: equal in all but the algorithm.
using Cell = std::vector<const Case*>;

struct CaseSet {
  std::vector<std::string> known;  ///< algorithms of this program; the first one is the baseline
  std::vector<std::string> workloads;  ///< labels: data, what differs of the geometry, channels
  std::vector<std::string> shapes;     ///< of each workload: its label behind the data
  std::vector<std::pair<std::string, std::string>> constants;  ///< key columns equal in all rows
  std::vector<std::string> algorithms, directions, dtypes;     ///< that occur, in order
  std::vector<DeviceCases> devices;                            ///< GPUs first, host last
  size_t superseded = 0;  ///< cases left out because a later run on the same device has them too

  std::string baseline() const { return known.empty() ? std::string() : known.front(); }
};

/// `rows` must be in the order of sort_rows() and outlive the result. `known`: CaseSet::known.
CaseSet collect_cases(std::span<const Record> rows, std::vector<std::string> known);

/// Devices that may be compared: a host's times only test the tool.
std::vector<const DeviceCases*> gpus_of(const CaseSet& set);

/// The cells of a device in the order of its cases.
std::vector<Cell> cells_of(const DeviceCases& device);

/// The fastest ranked case of a cell, or null.
const Case* fastest_of(const Cell& cell);

/// The ranked time: median of the main row.
double time_us(const Case& one);

}  // namespace spb::report
