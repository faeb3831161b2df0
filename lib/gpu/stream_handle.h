// SPDX-License-Identifier: Apache-2.0
// A stream as the vendor's runtime knows it.
#pragma once

#include "gpu/runtime.h"
#include "gpu/stream.h"

namespace spb::gpu {

inline gpuStream_t handle_of(const Stream& stream) {
  return static_cast<gpuStream_t>(stream.handle());
}

}  // namespace spb::gpu
