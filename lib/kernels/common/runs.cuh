// SPDX-License-Identifier: Apache-2.0
// Elements that a thread reads and writes at once.
#pragma once

#include <cstdint>

namespace spb::plans {

template <class T, int Width>
struct alignas(sizeof(T) * Width) Run {
  T at[Width];
};

/// Whether the widest run may begin here.
inline bool is_run_aligned(const void* p) { return reinterpret_cast<uintptr_t>(p) % 16 == 0; }

}  // namespace spb::plans
