#include "case_options.h"

#include <CLI/CLI.hpp>
#include <algorithm>
#include <string_view>

#include "checks.h"
#include "console.h"

namespace spb::app {
namespace {

using config::Option;

constexpr std::string_view kDataNames[] = {"voxel_size", "resolution", "row_order", "batch_copies",
                                           "seed"};
constexpr std::string_view kSuiteNames[] = {"algorithms", "directions"};

bool takes(CaseScope scope, std::string_view name) {
  if (scope == CaseScope::data) return std::ranges::find(kDataNames, name) != std::end(kDataNames);
  return scope == CaseScope::cases || std::ranges::find(kSuiteNames, name) == std::end(kSuiteNames);
}

/// "--kernel-size"; short forms of names that are long to type.
std::string flag(const Option& option) {
  std::string words = option.name;
  std::ranges::replace(words, '_', '-');
  const std::string_view name = option.name;
  const char* alias = name == "conv_kind" ? ",--conv" : name == "row_order" ? ",--order" : "";
  return "--" + words + alias;
}

}  // namespace

void ConsoleOptions::apply() const { console().set_verbosity(quiet ? 0 : verbose ? 2 : 1); }

void add_console_options(CLI::App& app, ConsoleOptions& options) {
  auto* quiet = app.add_flag("-q,--quiet", options.quiet, "errors only on stderr");
  auto* verbose = app.add_flag("-v,--verbose", options.verbose, "name each case before it starts");
  auto* color = app.add_option("--color", options.color, "auto, always, never")
                    ->check(one_of({"auto", "always", "never"}))
                    ->option_text("auto");
  for (CLI::Option* option : {static_cast<CLI::Option*>(quiet), verbose, color})
    option->group("Console");
}

void add_case_options(CLI::App& app, suite::CaseOptions& options, CaseScope scope) {
  for (const Option& option : config::suite_options()) {
    std::vector<std::string>& values = options.values[option.name];
    if (std::string_view(option.name) == "datasets") {
      app.add_option("DATA", values, option.text)
          ->option_text(scope == CaseScope::data ? "" : "...");
    } else if (takes(scope, option.name)) {
      app.add_option(flag(option), values, option.text)
          ->option_text(option.example)
          ->allow_extra_args(false)
          ->group("Cases");
    }
  }
  app.add_option("--columns", options.reading.columns, "float32 per row of a .bin file")
      ->option_text("N")
      ->group("Data");
  app.add_option("--axes", options.reading.axes, "column order of integer coords: bxyz, bzyx")
      ->check(one_of({"bxyz", "bzyx"}))
      ->option_text("bxyz")
      ->group("Data");
  app.add_flag("--merge", options.reading.merge, "drop repeated coords instead of refusing them")
      ->group("Data");
  if (scope != CaseScope::cases) return;
  app.add_option("--config", options.config, "suite: a .toml file or a name of list suites")
      ->option_text("FILE")
      ->group("Cases");
  app.add_option("--filter", options.filter, "only cases whose name matches, as in '*/f16/*'")
      ->option_text("GLOB")
      ->group("Cases");
}

}  // namespace spb::app
