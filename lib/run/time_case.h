// SPDX-License-Identifier: Apache-2.0
// How long a plan and its runs take (measurement.md, sections 2 to 7 and 14).
#pragma once

#include <array>
#include <optional>
#include <string>
#include <vector>

#include "algorithms/algorithm.h"
#include "bench/device_watch.h"
#include "bench/sampling.h"
#include "bench/statistics.h"
#include "run/layer_step.h"
#include "run/run_options.h"
#include "run/session.h"

namespace spb::run {

struct PhaseTime {
  const char* phase;         ///< kernel, end_to_end, plan, map_build, step
  const char* cache;         ///< cold or hot for kernel, else empty
  const char* method;        ///< column timing_method
  const char* cache_method;  ///< how caches were emptied: rotate, flush; empty unless cold
  bench::Sampling sampling;
  bench::Statistics statistics;      ///< of the samples that count
  bench::Conditions conditions;      ///< of the device meanwhile
  std::optional<double> floor_us{};  ///< of the method, where it has one
  /// Of phases in which the host works, too, and whose time is the device's part: median by the
  /// host's clock until the stream has drained, what a caller waits.
  std::optional<double> wall_median_us{};
  int layers = 0;         ///< of the phase step, whose time is that of one of them
  std::string warning{};  ///< that another method than the phase's own had to be used, and why
};

struct CaseTimes {
  std::vector<PhaseTime> phases;
  std::string fault;  ///< a timed run stored other bits than the others; else empty
};

/// Times all phases on `session`, whose operands are uploaded; the primary row comes first: kernel
/// cold (where the size of the last cache is known), kernel hot, end_to_end, plan, map_build. The
/// outputs, poisoned before, hold the last timed run's.
CaseTimes time_case(Session& session, const Algorithm& algorithm, const Problem& problem,
                    const RunOptions& options);

/// Times training steps, a phase for each of RunOptions::step_layers: maps and plans once, then
/// fprop, dgrad and wgrad of so many layers that share both. `operands`: of layer_problems().
std::vector<PhaseTime> time_steps(Session& session, const StepAlgorithms& algorithms,
                                  const Problem& problem, const std::array<Operands, 3>& operands,
                                  const RunOptions& options);

}  // namespace spb::run
