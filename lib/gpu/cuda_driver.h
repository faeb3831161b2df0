// SPDX-License-Identifier: Apache-2.0
// Whether the installed CUDA driver can run this program. Plain C++, so that every build tests it.
#pragma once

#include <string>

namespace spb::gpu {

/// 13000 is "13.0", 0 "none".
std::string cuda_version_text(int version);

/// Throws Error (runtime) for a driver that is absent (0) or too old for `runtime`.
void check_cuda_driver(int driver, int runtime);

}  // namespace spb::gpu
