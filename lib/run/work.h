// Useful work, the same for every algorithm (measurement.md, section 11).
#pragma once

#include <algorithm>
#include <cstdint>

#include "core/problem.h"

namespace spb::run {

inline double useful_macs(const Problem& problem, int64_t n_pairs) {
  return static_cast<double>(n_pairs) * problem.c_in * problem.c_out;
}

/// Every tensor once, and the smaller form of the map.
inline double compulsory_bytes(const Problem& problem, int64_t n_in, int64_t n_out,
                               int64_t n_pairs) {
  const double elements = static_cast<double>(n_in) * problem.c_in +
                          static_cast<double>(n_out) * problem.c_out +
                          static_cast<double>(problem.weight_count());
  const double map = std::min(8.0 * static_cast<double>(n_pairs),
                              4.0 * static_cast<double>(n_out) * problem.kernel_volume());
  return elements * info(problem.dtype).bytes + map;
}

}  // namespace spb::run
