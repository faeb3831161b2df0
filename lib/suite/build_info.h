// SPDX-License-Identifier: Apache-2.0
// What this program was built from.
#pragma once

#include <string>

namespace spb::suite {

struct BuildInfo {
  const char* version;
  const char* git_sha;  ///< empty when the sources are no git checkout
  bool git_dirty;
  const char* build_type;
  const char* compiler;
};

const BuildInfo& build_info();

/// "spconv-bench 0.1.0 (host, 1a2b3c4d5e6f, Release)".
std::string version_text();

}  // namespace spb::suite
