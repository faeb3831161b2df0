// SPDX-License-Identifier: Apache-2.0
// Which processes measured the sides of a comparison.
#pragma once

#include <cstddef>

#include "report/compare/compare.h"

namespace spb::report {

/// By the rows that have a ratio, and the processes behind them: the runs that were made one, else
/// those that repeat a side's last run, of the same build, which must be known, and under the same
/// conditions. A process is a run: its cases share a child, which is replaced when one crashes.
ProcessDrift drift_between(const DeviceComparison& device, const Side& base, const Side& next,
                           const CompareOptions& options);

/// How many processes a row's time is of: one, unless runs were made one.
size_t processes_behind(const Side& side, const Record& row);

}  // namespace spb::report
