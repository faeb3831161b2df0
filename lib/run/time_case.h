// How long a plan and its runs take (measurement.md, sections 2, 3 and 14).
#pragma once

#include <vector>

#include "algorithms/algorithm.h"
#include "bench/sampling.h"
#include "bench/statistics.h"
#include "run/run_options.h"
#include "run/session.h"

namespace spb::run {

struct PhaseTime {
  const char* phase;  ///< kernel, plan, end_to_end
  const char* cache;  ///< hot for kernel, else empty
  bench::Sampling sampling;
  bench::Statistics statistics;
};

/// Times all phases on `session`, whose operands are uploaded. Its outputs, poisoned before, hold
/// the last timed run's.
std::vector<PhaseTime> time_case(Session& session, const Algorithm& algorithm,
                                 const Problem& problem, const RunOptions& options);

/// The value of the column timing_method.
const char* timing_method();

}  // namespace spb::run
