// SPDX-License-Identifier: Apache-2.0
// Tests ask for an algorithm by its name: its place in the table changes with every new one.
#pragma once

#include <stdexcept>
#include <string>

#include "algorithms/algorithm.h"

namespace spb {

/// Throws std::runtime_error where there is none.
inline const Algorithm& algorithm_named(const std::string& name) {
  for (const Algorithm& algorithm : algorithms())
    if (name == algorithm.name) return algorithm;
  throw std::runtime_error("no algorithm " + name);
}

}  // namespace spb
