// The options that commands share: which data, which cases, how loud.
#pragma once

#include <map>
#include <span>
#include <string>
#include <vector>

#include "config/case_spec.h"
#include "config/suite_options.h"
#include "load.h"

namespace CLI {
class App;
}

namespace spb::app {

/// -q, -v, --color: read by console().
struct ConsoleOptions {
  bool quiet = false, verbose = false;
  std::string color = "auto";
  void apply() const;
};
void add_console_options(CLI::App& app, ConsoleOptions& options);

/// Everything that selects cases: the rows of config::suite_options() as options, the data sets as
/// arguments, a suite file below them, a filter above.
struct CaseOptions {
  std::map<std::string, std::vector<std::string>> values;  ///< by name of config::Option
  std::string config, filter;
  ReadSettings reading;
};

/// Which rows of config::suite_options() a command takes.
enum class CaseScope {
  cases,   ///< all, and --config and --filter
  shapes,  ///< data, geometry, channels and dtypes: no algorithms
  data,    ///< one data set, its size and row order
};
void add_case_options(CLI::App& app, CaseOptions& options, CaseScope scope);

/// The suite file, if any, with the command line over it.
config::SuiteOptions suite_options(const CaseOptions& options);

/// All cases that pass the filter, with the default size of named data sets filled in.
/// Throws Error (nothing) when there is none.
std::vector<config::CaseSpec> plan_cases(const CaseOptions& options,
                                         std::span<const std::string> algorithm_names);

}  // namespace spb::app
