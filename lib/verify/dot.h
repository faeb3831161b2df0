// SPDX-License-Identifier: Apache-2.0
// Products of stored floats with a vector of another type, eight running sums side by side: one sum
// alone waits for each addition before the next.
#pragma once

#include <cstdint>
#include <type_traits>

namespace spb::verify {

template <typename T>
T number(float value) {
  if constexpr (std::is_same_v<T, double>)
    return static_cast<double>(value);
  else
    return static_cast<T>(static_cast<int64_t>(value));
}

/// Sum of a[i] * b[i], or of a[i]^2 * b[i].
template <typename T, bool kSquare = false>
T dot(const float* a, const T* b, int64_t n) {
  constexpr int64_t kSums = 8;
  T sums[kSums] = {};
  int64_t i = 0;
  for (; i + kSums <= n; i += kSums)
    for (int64_t k = 0; k < kSums; ++k) {
      const T value = number<T>(a[i + k]);
      sums[k] += (kSquare ? value * value : value) * b[i + k];
    }
  T total = 0;
  for (; i < n; ++i) {
    const T value = number<T>(a[i]);
    total += (kSquare ? value * value : value) * b[i];
  }
  for (const T sum : sums) total += sum;
  return total;
}

}  // namespace spb::verify
