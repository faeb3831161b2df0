// SPDX-License-Identifier: Apache-2.0
// From what the user names to the list of cases.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "config/case_spec.h"
#include "config/suite_options.h"
#include "suite/load.h"

namespace spb::suite {

/// Everything that selects cases: the rows of config::suite_options(), a suite file below them, a
/// filter above.
struct CaseOptions {
  std::map<std::string, std::vector<std::string>> values;  ///< by name of config::Option
  std::string config, filter;
  ReadSettings reading;
};

/// The suite file, if any, with the command line over it.
config::SuiteOptions suite_options(const CaseOptions& options);

/// All cases that pass the filter, with the default size of named data sets filled in.
/// Throws Error (nothing) when there is none.
std::vector<config::CaseSpec> plan_cases(const CaseOptions& options,
                                         std::span<const std::string> algorithm_names,
                                         std::span<const std::string> by_name_only = {});
/// The same of the table's algorithms. `all` are those that take the groups of a case, so that not
/// every run has rows of what no layer of it is; where none takes them, all say so.
std::vector<config::CaseSpec> plan_cases(const CaseOptions& options,
                                         std::span<const Algorithm> algorithms);

}  // namespace spb::suite
