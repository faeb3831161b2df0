// SPDX-License-Identifier: Apache-2.0
#include "suite/build_info.h"

#include <fmt/format.h>
#include <string_view>

#include "build_values.h"  // written by build_values.cmake at every build
#include "gpu/device_info.h"

namespace spb::suite {

const BuildInfo& build_info() {
  static constexpr BuildInfo kInfo{SPB_VERSION, SPB_GIT_SHA, SPB_GIT_DIRTY, SPB_BUILD_TYPE,
                                   SPB_COMPILER};
  return kInfo;
}

std::string version_text() {
  const BuildInfo& info = build_info();
  const std::string_view sha = info.git_sha;
  return fmt::format("spconv-bench {} ({}{}{}{}, {})", info.version, gpu::backend_name(),
                     sha.empty() ? "" : ", ", sha.substr(0, 12), info.git_dirty ? "-dirty" : "",
                     info.build_type);
}

}  // namespace spb::suite
