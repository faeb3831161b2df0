// SPDX-License-Identifier: Apache-2.0
// Neighboring elements of a row that a thread loads and stores at once.
#pragma once

#include <cstdint>
#include <initializer_list>

namespace spb::plans {

template <class T, int Width>
struct alignas(sizeof(T) * Width) Elements {
  T at[Width];
};

/// Calls f.operator()<Width>() with the most elements of T, up to 16 bytes, that rows of `columns`
/// at these addresses consist of.
template <class T, int Width = 16 / sizeof(T), class F>
void with_width(int64_t columns, std::initializer_list<const void*> addresses, F f) {
  if constexpr (Width > 1) {
    bool fits = columns % Width == 0;
    for (const void* address : addresses)
      fits = fits && reinterpret_cast<uintptr_t>(address) % (Width * sizeof(T)) == 0;
    if (!fits) return with_width<T, Width / 2>(columns, addresses, f);
  }
  f.template operator()<Width>();
}

}  // namespace spb::plans
