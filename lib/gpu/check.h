// SPDX-License-Identifier: Apache-2.0
// Errors of the vendor's runtime as exceptions.
#pragma once

#include <string_view>

#include "gpu/runtime.h"

namespace spb::gpu {

/// Throws Error (runtime) "WHAT: message (name)" unless `error` is gpuSuccess.
void check(gpuError_t error, std::string_view what);

}  // namespace spb::gpu
