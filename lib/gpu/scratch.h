// SPDX-License-Identifier: Apache-2.0
// Memory of what checks and fills buffers: no Allocator counts it among what is used.
#pragma once

#include <cstdint>
#include <memory>
#include <string>
#include <string_view>

#include "gpu/buffer.h"
#include "gpu/check.h"
#include "gpu/runtime.h"

namespace spb::gpu {

struct FreeScratch {
  void operator()(void* data) const { static_cast<void>(gpuFree(data)); }
};
template <class T>
using Scratch = std::unique_ptr<T, FreeScratch>;

/// Throws OutOfMemory. `what`: is done with it, as in "hash a buffer".
template <class T>
Scratch<T> scratch(int64_t count, std::string_view what) {
  void* memory = nullptr;
  const int64_t bytes = bytes_of(count, sizeof(T));
  const gpuError_t error = gpuMalloc(&memory, static_cast<size_t>(bytes));
  if (error == gpuErrorMemoryAllocation) {
    static_cast<void>(gpuGetLastError());  // or the next launch would report it again
    throw OutOfMemory(std::string(what) + ": no " + std::to_string(bytes) + " bytes are free",
                      bytes);
  }
  check(error, what);
  return Scratch<T>(static_cast<T*>(memory));
}

}  // namespace spb::gpu
