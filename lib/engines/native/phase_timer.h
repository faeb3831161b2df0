// SPDX-License-Identifier: Apache-2.0
// One phase: samples of some work on a stream, by the method that suits it.
#pragma once

#include <functional>

#include "bench/cold_timer.h"
#include "bench/device_context.h"
#include "bench/protocol.h"
#include "engines/contender.h"
#include "gpu/stream.h"

namespace spb::engines {

/// A row of the phases that are timed.
struct PhaseSpec {
  Phase phase;
  CacheState cache;
  double time_share;  ///< of the case's time limit
  int layers = 1;     ///< that share the time
};

/// A blocked stream that times out is told by this.
struct WaitsForDevice {};

class PhaseTimer {
 public:
  PhaseTimer(const gpu::Stream& stream, const bench::Protocol& protocol)
      : stream_(stream), protocol_(protocol) {}

  /// The device's part of work in which the host waits; the host's clock beside it. `after` is not
  /// timed.
  PhaseTime chain(const PhaseSpec& phase, const std::function<void()>& work,
                  const std::function<void()>& after);
  /// By the host's clock until the stream has drained.
  PhaseTime wall(
      const PhaseSpec& phase, const std::function<void()>& work,
      const std::function<void()>& after = [] {});
  PhaseTime sampled(const PhaseSpec& phase, const char* method,
                    const std::function<bench::Sample()>& next);

  static const char* wall_method();
  double wall_us(const std::function<void()>& work);
  /// Between two samples: looks at the device, too.
  bench::Sample sample_of(const bench::DeviceSample& timed, int set = 0);
  bench::SamplingLimits limits(const PhaseSpec& phase) const;
  double timer_floor_us() const { return device_.timer_floor_us; }

 private:
  const gpu::Stream& stream_;
  const bench::Protocol& protocol_;
  bench::DeviceContext& device_ = bench::device_context();
};

}  // namespace spb::engines
