// SPDX-License-Identifier: Apache-2.0
// Shorter runs for a longer plan: from how many runs on that pays.
#pragma once

#include <cstdint>
#include <string>
#include <vector>

#include "report/compare/compare.h"

namespace spb::report {

/// The fastest verified algorithm of a workload on one side, of those whose plan and run were timed
/// without throttling: its plan and its run, hot where both sides have that.
struct FastestRun {
  std::string algorithm;
  double plan_us = 0, run_us = 0;
};

/// A workload in one direction and dtype of which one side's fastest algorithm runs faster, and the
/// other side's is planned faster.
struct BreakEven {
  std::string workload;  ///< case_id up to the dtype
  FastestRun base, next;
  bool next_runs_faster = false;
  int64_t runs = 0;  ///< with the same plan, from which on the longer one has paid
};

/// In the order of the rows. Only where runs differ by more than the floor and their medians'
/// intervals do not meet, and plans by more than the threshold and, on a GPU, the floor of chains.
/// None between a GPU and the host.
std::vector<BreakEven> break_evens(const DeviceComparison& device, const CompareOptions& options);

}  // namespace spb::report
