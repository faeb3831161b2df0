// SPDX-License-Identifier: Apache-2.0
// Shared libraries whose convolutions stand beside the program's own (docs/plugins.md): each of
// their algorithms becomes a row that is planned, judged, timed and accounted for like any other.
#pragma once

#include <string>
#include <vector>

#include "algorithms/algorithm.h"

namespace spb::engines {

struct Plugin {
  std::string name, version;
  std::vector<Algorithm> algorithms;  ///< "name:algorithm"
};

/// Never unloaded: plans, and whatever the library registered, may outlive every row. A name
/// without a slash is a file of the working directory. Throws Error (runtime) for a file that is no
/// plug-in of this program: unreadable, of another ABI or backend, or wrong in what it says of
/// itself.
Plugin load_plugin(const std::string& path);

}  // namespace spb::engines
