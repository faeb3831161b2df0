// SPDX-License-Identifier: Apache-2.0
// What the library of fake_rocblas.cpp tells of itself.
#pragma once

#include <cstddef>

namespace spb::gpu {

/// What its one handle was told, with how many calls.
struct FakeRocblas {
  int handles = 0, streams = 0, workspaces = 0, products = 0;
  int atomics = 1;  ///< allowed, as before ROCm 7.0
  void* stream = nullptr;
  void* workspace = nullptr;
  size_t workspace_bytes = 0;
};

inline constexpr int kFakeRocblasFails = 13;  ///< rows of a product that has no kernel

}  // namespace spb::gpu
