// SPDX-License-Identifier: Apache-2.0
#include "case_options.h"

#include <CLI/CLI.hpp>
#include <string_view>

#include "add_options.h"
#include "console.h"
#include "suite/checks.h"

namespace spb::app {
namespace {

using config::Option;

bool takes(CaseScope scope, const Option& option) {
  switch (scope) {
    case CaseScope::cases:
      return true;
    case CaseScope::shapes:
      return option.part != config::Part::suite;
    case CaseScope::data:
      return option.part == config::Part::data;
  }
  return false;
}

std::string flags(const Option& option) {
  return config::flag(option) + (option.alias ? std::string(",") + option.alias : "");
}

}  // namespace

void ConsoleOptions::apply() const { console().set_verbosity(quiet ? 0 : verbose ? 2 : 1); }

void add_console_options(CLI::App& app, ConsoleOptions& options) {
  auto* quiet = app.add_flag("-q,--quiet", options.quiet, "errors only on stderr");
  auto* verbose = app.add_flag("-v,--verbose", options.verbose, "name each case before it starts");
  auto* color = app.add_option("--color", options.color, "auto, always, never")
                    ->check(suite::one_of({"auto", "always", "never"}))
                    ->capture_default_str()
                    ->option_text("WHEN");
  for (CLI::Option* option : {static_cast<CLI::Option*>(quiet), verbose, color})
    option->group("Console");
}

void add_case_options(CLI::App& app, suite::CaseOptions& options, CaseScope scope) {
  for (const Option& option : config::suite_options()) {
    std::vector<std::string>& values = options.values[option.name];
    if (std::string_view(option.name) == "datasets") {
      app.add_option("DATA", values, option.text)->option_text(option.metavar);
    } else if (takes(scope, option)) {
      app.add_option(flags(option), values, option.text)
          ->option_text(option.metavar)
          ->allow_extra_args(false)
          ->group("Cases");
    }
  }
  // In a suite each takes the place of the other; said at once, one would be dropped.
  app.get_option("--resolution")->excludes(app.get_option("--voxel-size"));
  for (const suite::ReadingOption& option : suite::reading_options())
    add_option(app, option, options.reading);
  if (scope != CaseScope::cases) return;
  app.add_option("--config", options.config, "suite: a .toml file or a name of list suites")
      ->option_text("FILE")
      ->group("Cases");
  app.add_option("--filter", options.filter, "only cases whose name matches, as in '*/f16/*'")
      ->option_text("GLOB")
      ->group("Cases");
}

}  // namespace spb::app
