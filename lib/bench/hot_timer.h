// SPDX-License-Identifier: Apache-2.0
// Device time of a run among equal runs: caches are warm, launch costs vanish (measurement.md,
// section 6).
#pragma once

#include <cstdint>
#include <functional>
#include <memory>

#include "bench/clock_meter.h"
#include "bench/cold_timer.h"
#include "gpu/event.h"
#include "gpu/graph.h"

namespace spb::bench {

class HotTimer {
 public:
  /// Captures as many calls of `queue` as take `least_us` into one graph. Where that fails they are
  /// queued one by one.
  HotTimer(const gpu::Stream& stream, std::function<void()> queue, double least_us = 5000);

  /// The time of one run: one replay between events over its number of runs.
  DeviceSample sample();
  /// The value of the column timing_method: "graph", or "batch" where nothing could be captured.
  const char* method() const { return graph_ ? "graph" : "batch"; }
  int64_t runs() const { return runs_; }

 private:
  void queue_runs() const;
  double batch_us();  ///< of all runs

  const gpu::Stream& stream_;
  std::function<void()> queue_;
  gpu::Event begin_, end_;
  ClockMeter clock_;
  int64_t runs_ = 1;
  std::unique_ptr<gpu::Graph> graph_;
};

/// Median time of `queue` among equal calls, from up to ten samples of `least_us` each; fewer,
/// three at least, when calls are long.
double hot_us(const gpu::Stream& stream, std::function<void()> queue, double least_us = 1000);

}  // namespace spb::bench
