// SPDX-License-Identifier: Apache-2.0
// What a comparison says of each algorithm as a whole.
#pragma once

#include <optional>
#include <string>
#include <vector>

#include "report/compare/compare.h"

namespace spb::report {

/// Geometric means over the rows of one algorithm and phase that both sides have measured.
struct GeometricMean {
  std::string algorithm, phase;  ///< "kernel cold"
  int64_t rows = 0;
  std::optional<double> ratio;       ///< of times, NEW / BASE
  std::optional<Interval> interval;  ///< as wide as if all rows erred together: drift is common
  std::optional<double> base_speedup, next_speedup;    ///< over the reference on the same device
  std::optional<double> base_roofline, next_roofline;  ///< roofline_pct
};

/// By algorithm and phase, in the order of the rows. Each mean is over the rows that have the value
/// on both sides.
std::vector<GeometricMean> geometric_means(const DeviceComparison& device);

/// "kernel cold", "plan".
std::string phase_text(const Record& row);

}  // namespace spb::report
