// One summary of samples that were taken in several rounds (measurement.md, section 8).
#pragma once

#include <cstdint>
#include <span>
#include <vector>

#include "bench/statistics.h"

namespace spb::bench {

/// Statistics of all samples together. With several rounds the interval of the median comes from
/// resampled rounds and samples within them, since drift between rounds exceeds noise inside one
/// (Kalibera & Jones, "Rigorous benchmarking in reasonable time", ISMM 2013): 1000 resamples, the
/// same for the same seed. Throws as summarize() does; no round may be empty.
Statistics summarize_rounds(std::span<const std::vector<double>> rounds, uint64_t seed = 1);

}  // namespace spb::bench
