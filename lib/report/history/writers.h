// SPDX-License-Identifier: Apache-2.0
// A history for people and for programs.
#pragma once

#include <string>
#include <vector>

#include "report/history/history.h"
#include "report/plots/plots.h"
#include "report/text/table_layout.h"

namespace spb::report {

/// Date and commit of each run; where two would be called the same, with the time.
std::vector<std::string> run_labels(const History& history);

/// A table for each device: a row of the records in a line, a column for each run. `changed`: only
/// lines with a change. What the names of all lines share stands once, above.
std::vector<TableLayout> history_tables(const History& history, bool changed);

/// Tidy: a line for each row in each run that has it; times in microseconds.
std::string history_csv(const History& history);

/// For each device with two runs or more a plot: the geometric mean of the times of each algorithm
/// over those of the first run, of the rows that all runs have. `known`: CaseSet::known.
std::vector<Plot> history_plots(const History& history, const std::vector<std::string>& known);

}  // namespace spb::report
