// SPDX-License-Identifier: Apache-2.0
// The options of compare: what is declared, and what their words mean.
#pragma once

#include <string>
#include <vector>

#include "case_options.h"
#include "report/compare/compare.h"
#include "report/compare/gate.h"
#include "report/records/baselines.h"

namespace CLI {
class App;
}

namespace spb::app {

/// What is undecided does not pass as decided: inconclusive is among them.
inline constexpr const char* kFailOn = "slower,incorrect,error,memory,inconclusive";

/// The options as they were given.
struct CompareWords {
  std::string base, next, filter;
  std::string threshold = "3%", floor = "1us", chain_floor = "3us", memory_threshold = "0%";
  std::string process_drift;  ///< empty where it is not stated
  std::string fail_on = kFailOn, allowed;
  std::string json, markdown, junit, out, timeout = "24h";
  std::string baseline, saved, baselines = report::kBaselines;
  std::vector<std::string> run;
  int pairs = 2;
  bool strict = false, all = false, ab = false;
  report::CompareOptions compare;
  ConsoleOptions console;
};

/// Throws Error (usage) naming the option whose words mean nothing.
report::CompareOptions compare_options(const CompareWords& options);
report::Gate gate(const CompareWords& options);

void add_compare_options(CLI::App& app, CompareWords& options);

}  // namespace spb::app
