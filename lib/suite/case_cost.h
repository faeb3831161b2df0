// SPDX-License-Identifier: Apache-2.0
// How long a case takes, before it has run.
#pragma once

#include "run/run_options.h"

namespace spb::suite {

/// Multiplications a second of the reference on a handful of cores; with many rows it, not the
/// device, is what verification waits for.
inline constexpr double kReferenceRate = 1e10;

/// Seconds: the limit of timing, and each mode of verification by the reference, which computes no
/// more than a sample beyond verify_macs.
inline double case_cost_s(double macs, const run::RunOptions& run) {
  const int modes = (run.verify_exact ? 1 : 0) + (run.verify_fp ? 1 : 0);
  const double timing_s = run.time ? run.timing.max_time_s : 0;
  return timing_s + modes * (macs < run.verify_macs ? macs : run.verify_macs) / kReferenceRate;
}

}  // namespace spb::suite
