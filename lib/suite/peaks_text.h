// SPDX-License-Identifier: Apache-2.0
// What a file of peaks holds, whatever device reads it.
#pragma once

#include <string>
#include <string_view>

#include "bench/peaks.h"

namespace spb::suite {

struct MeasuredPeaks {
  bench::Peaks peaks;
  std::string device, driver;  ///< on which they were measured
};

/// Throws Error (runtime) naming `path` when `text` is no file of write_peaks.
MeasuredPeaks parse_peaks(std::string_view text, const std::string& path);

}  // namespace spb::suite
