// SPDX-License-Identifier: Apache-2.0
#include "suite/case_selection.h"

#include "config/expand.h"
#include "config/filter.h"
#include "config/suite_file.h"
#include "core/error.h"
#include "data/voxelize.h"
#include "gpu/device_info.h"
#include "suite/places.h"

namespace spb::suite {

Dtype default_dtype() { return gpu::on_host() ? Dtype::f32 : Dtype::f16; }

config::SuiteOptions suite_options(const CaseOptions& options) {
  config::SuiteOptions suite;
  suite.dtypes = {default_dtype()};
  if (!options.config.empty())
    suite = config::read_suite(config::find_suite(options.config, suites_folder()));
  for (const auto& [name, values] : options.values) {
    if (values.empty()) continue;
    const std::string where = name == "datasets" ? "DATA" : flag(*config::find_option(name));
    config::set_option(suite, name, values, where);
  }
  return suite;
}

std::vector<config::CaseSpec> plan_cases(const CaseOptions& options,
                                         std::span<const std::string> algorithm_names) {
  std::vector<config::CaseSpec> cases = config::expand(suite_options(options), algorithm_names);
  fill_default_sizes(cases);
  for (const config::CaseSpec& spec : cases)
    data::parse_voxel_order(spec.row_order, "--row-order");  // throws before any work is done
  if (!options.filter.empty()) cases = config::filter(cases, options.filter);
  if (cases.empty()) throw Error(ExitCode::nothing, "no case is planned");
  return cases;
}

}  // namespace spb::suite
