// SPDX-License-Identifier: Apache-2.0
#include "suite/case_selection.h"

#include <algorithm>
#include <filesystem>

#include "config/expand.h"
#include "config/filter.h"
#include "config/suite_file.h"
#include "core/error.h"
#include "core/paths.h"
#include "gpu/device_info.h"
#include "maps/table/map_variant.h"
#include "suite/places.h"

namespace spb::suite {

namespace {

Dtype default_dtype() { return gpu::on_host() ? Dtype::f32 : Dtype::f16; }

/// A file of one's own needs no data folder.
std::filesystem::path suite_file(const std::string& name_or_path) {
  if (is_file(name_or_path)) return name_or_path;
  return config::find_suite(name_or_path, suites_folder());
}

}  // namespace

config::SuiteOptions suite_options(const CaseOptions& options) {
  config::SuiteOptions suite;
  suite.dtypes = {default_dtype()};
  if (!options.config.empty()) suite = config::read_suite(suite_file(options.config));
  for (const auto& [name, values] : options.values) {
    if (values.empty()) continue;
    const std::string where = name == "datasets" ? "DATA" : flag(*config::find_option(name));
    config::set_option(suite, name, values, where);
  }
  return suite;
}

std::vector<config::CaseSpec> plan_cases(const CaseOptions& options,
                                         std::span<const Algorithm> algorithms) {
  std::vector<std::string> names, by_name_only;
  for (const Algorithm& algorithm : algorithms) {
    names.emplace_back(algorithm.name);
    if (algorithm.by_name_only) by_name_only.emplace_back(algorithm.name);
  }
  std::vector<config::CaseSpec> cases = plan_cases(options, names, by_name_only);
  const std::vector<std::string> words = suite_options(options).algorithms;
  const auto is_word = [&](const std::string& name) { return std::ranges::count(words, name) > 0; };
  if (!is_word("all")) return cases;
  std::erase_if(cases, [&](const config::CaseSpec& spec) {
    const unsigned kind = claim_of(group_kind(spec.problem));
    const auto takes = [&](const Algorithm& one) { return (one.claim.groups & kind) != 0; };
    const auto is_its = [&](const Algorithm& one) { return spec.algorithm == one.name; };
    return !is_word(spec.algorithm) && !takes(*std::ranges::find_if(algorithms, is_its));
  });
  if (cases.empty()) throw Error(ExitCode::nothing, "no case is planned");
  return cases;
}

std::vector<config::CaseSpec> plan_cases(const CaseOptions& options,
                                         std::span<const std::string> algorithm_names,
                                         std::span<const std::string> by_name_only) {
  std::vector<config::CaseSpec> cases =
      config::expand(suite_options(options), algorithm_names, by_name_only);
  fill_default_sizes(cases);
  for (const config::CaseSpec& spec : cases) {
    check_grid(spec);
    maps::find_map_variant(spec.map_variant, "--map-variant");  // throws before any work is done
  }
  if (!options.filter.empty()) cases = config::filter(cases, options.filter);
  if (cases.empty()) throw Error(ExitCode::nothing, "no case is planned");
  return cases;
}

}  // namespace spb::suite
