// SPDX-License-Identifier: Apache-2.0
// One summary of samples that were taken in several rounds (measurement.md, section 8).
#pragma once

#include <cstdint>

#include "bench/statistics.h"
#include "core/statistics.h"

namespace spb::bench {

/// Statistics of all samples together. With several rounds the interval of the median comes from
/// resampled rounds and samples within them (core/statistics.h), the same for the same seed. Throws
/// as summarize() does; no round may be empty.
Statistics summarize_rounds(const Rounds& rounds, uint64_t seed = 1);

}  // namespace spb::bench
