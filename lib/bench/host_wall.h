// SPDX-License-Identifier: Apache-2.0
// The clock of host timings.
#pragma once

#include <chrono>
#include <utility>

namespace spb::bench {

/// Microseconds on the steady clock, from an arbitrary start.
inline double host_wall_us() {
  const auto now = std::chrono::steady_clock::now().time_since_epoch();
  return std::chrono::duration<double, std::micro>(now).count();
}

/// Microseconds that `work()` took.
template <typename Work>
double host_wall_us(Work&& work) {
  const double begin = host_wall_us();
  std::forward<Work>(work)();
  return host_wall_us() - begin;
}

}  // namespace spb::bench
