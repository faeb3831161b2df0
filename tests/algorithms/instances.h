// SPDX-License-Identifier: Apache-2.0
// What tests run over: an instance for each algorithm or kernel, so that a failure names it. Dtypes
// and directions stay loops inside: each instance is a process of ctest.
#pragma once

#include <gtest/gtest.h>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "kernels/kernel_variants.h"

namespace spb {

inline std::vector<std::string> algorithm_names() {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : algorithms()) names.push_back(algorithm.name);
  return names;
}

inline std::vector<std::string> kernel_names(std::span<const KernelVariant> variants) {
  std::vector<std::string> names;
  for (const KernelVariant& variant : variants) names.push_back(variant.name);
  return names;
}

using ByName = testing::TestWithParam<std::string>;

inline std::string its_name(const testing::TestParamInfo<std::string>& test) { return test.param; }

#define SPB_FOR_ALGORITHMS(Suite) \
  INSTANTIATE_TEST_SUITE_P(, Suite, testing::ValuesIn(spb::algorithm_names()), spb::its_name)
#define SPB_FOR_KERNELS(Suite, variants) \
  INSTANTIATE_TEST_SUITE_P(, Suite, testing::ValuesIn(spb::kernel_names(variants)), spb::its_name)

}  // namespace spb
