// SPDX-License-Identifier: Apache-2.0
// --plugin: algorithms of shared libraries beside the program's own.
#pragma once

#include <span>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"

namespace spb::app {

struct KnownAlgorithms {
  std::vector<Algorithm> rows;
  std::string plugins;  ///< "NAME VERSION SHA256" of each, for records; empty: none
};

/// `files`: with commas between. Throws Error for a file that is no plug-in of this program, or
/// whose name another one has.
KnownAlgorithms with_plugins(std::span<const Algorithm> algorithms, const std::string& files);

}  // namespace spb::app
