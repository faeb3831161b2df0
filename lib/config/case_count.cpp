// SPDX-License-Identifier: Apache-2.0
#include "config/case_count.h"

#include <algorithm>
#include <fmt/format.h>

#include "core/error.h"

namespace spb::config {

double case_count(const Shapes& shapes) {
  double cases = 1;
  // An empty list stands for one value, or is filled in later.
  const auto times = [&](const auto& list) {
    cases *= static_cast<double>(std::max<size_t>(list.size(), 1));
  };
  times(shapes.datasets);
  times(shapes.batch_copies);
  times(shapes.channels);
  times(shapes.groups);
  times(shapes.kernel_sizes);
  times(shapes.strides);
  times(shapes.dilations);
  times(shapes.paddings);
  times(shapes.output_rules);
  times(shapes.output_extents);
  times(shapes.conv_kinds);
  return cases;
}

void check_case_count(double cases, std::string_view where) {
  if (cases > kMostCases)
    throw usage_error(where,
                      fmt::format("lists span {:.4g} cases, more than {:.0f}", cases, kMostCases),
                      "shorten a list, or make several suites of it");
}

}  // namespace spb::config
