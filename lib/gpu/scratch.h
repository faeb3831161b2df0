// SPDX-License-Identifier: Apache-2.0
// Memory of what checks and fills buffers: no Allocator counts it among what is used.
#pragma once

#include <cstdint>
#include <memory>

#include "gpu/check.h"
#include "gpu/runtime.h"

namespace spb::gpu {

struct FreeScratch {
  void operator()(void* data) const { static_cast<void>(gpuFree(data)); }
};
template <class T>
using Scratch = std::unique_ptr<T, FreeScratch>;

/// Throws Error (runtime) where there is none.
template <class T>
Scratch<T> scratch(int64_t count) {
  void* memory = nullptr;
  check(gpuMalloc(&memory, static_cast<size_t>(count) * sizeof(T)), "allocate scratch memory");
  return Scratch<T>(static_cast<T*>(memory));
}

}  // namespace spb::gpu
