// SPDX-License-Identifier: Apache-2.0
// The options that commands share: which data, which cases, how loud.
#pragma once

#include <string>

#include "suite/case_selection.h"

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

/// Which rows of config::suite_options() a command takes.
enum class CaseScope {
  cases,   ///< all, and --config and --filter
  shapes,  ///< data, geometry, channels and dtypes: no algorithms
  data,    ///< one data set, its size and row order
};
/// The rows of config::suite_options() as options, the data sets as arguments.
void add_case_options(CLI::App& app, suite::CaseOptions& options, CaseScope scope);

}  // namespace spb::app
