// SPDX-License-Identifier: Apache-2.0
// Suites, and the cases that small ones of them span.
#include <string>
#include <vector>

#include "config/case_count.h"
#include "config/expand.h"
#include "config/suite_file.h"
#include "read.h"

void spb::fuzz::read(const std::filesystem::path& path) {
  const config::SuiteOptions suite = config::read_suite(path);
  double cases = 0;
  for (const config::Shapes& shapes : suite.shapes) cases += config::case_count(shapes);
  const std::vector<std::string> names{"implicit_gemm"};
  // Thousands of cases take longer than they find.
  if (cases <= 100 && suite.algorithms.size() * suite.directions.size() * suite.dtypes.size() *
                              suite.row_orders.size() * suite.map_variants.size() <=
                          100)
    config::expand(suite, names, {});
}
