// SPDX-License-Identifier: Apache-2.0
// Layers that tests of scaled dtypes run, and who takes them.
#pragma once

#include <string>
#include <vector>

#include "algorithms/algorithm.h"

namespace spb::run {

inline constexpr const char* kScaledLayers[] = {
    "subm k3x3x3 s1x1x1 d1x1x1 c16:32", "subm k3x3x3 s1x1x1 d1x1x1 c36:20",
    "strided k2x2x2 s2x2x2 d1x1x1 c8:64", "inverse k3x3x3 s2x2x2 d1x1x1 c64:48",
    "generative k2x2x2 s2x2x2 d1x1x1 c32:16"};

inline std::vector<std::string> takers_of(Dtype dtype) {
  std::vector<std::string> names;
  for (const Algorithm& algorithm : algorithms())
    if (algorithm.claim.dtypes & claim_of(dtype)) names.emplace_back(algorithm.name);
  return names;
}

}  // namespace spb::run
