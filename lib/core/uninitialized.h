// SPDX-License-Identifier: Apache-2.0
// Large arrays of numbers that are written before they are read.
#pragma once

#include <memory>
#include <utility>
#include <vector>

namespace spb {

/// std::allocator, but elements that are given no value get none: a vector of gigabytes would be
/// filled with zeros, and its pages made, by one thread.
template <typename T>
struct Uninitialized : std::allocator<T> {
  template <typename U>
  struct rebind {
    using other = Uninitialized<U>;
  };
  template <typename U>
  void construct(U* at) noexcept {
    ::new (static_cast<void*>(at)) U;
  }
  template <typename U, typename... Values>
  void construct(U* at, Values&&... values) {
    ::new (static_cast<void*>(at)) U(std::forward<Values>(values)...);
  }
};

template <typename T>
using UninitializedVector = std::vector<T, Uninitialized<T>>;

using Floats = UninitializedVector<float>;

}  // namespace spb
